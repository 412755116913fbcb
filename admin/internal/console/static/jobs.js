// The list of jobs: next fires count down, lines renew themselves, and all jobs
// that the filter finds can be selected at once.

import { renewal, rows } from './renewal.js';

const list = document.querySelector('#jobs');
const form = list?.querySelector('form[data-bulk]');

if (form) {
  const table = form.querySelector('table.jobs');
  const lang = document.documentElement.lang;
  const unit = (name) => new Intl.NumberFormat(lang, { style: 'unit', unit: name, unitDisplay: 'narrow' });
  const units = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]].map(([n, s]) => [unit(n), s]);

  // words says a number of seconds in its two greatest units.
  const words = (seconds) => {
    const at = Math.max(units.findIndex(([, size]) => seconds >= size), 0);
    if (seconds < 1) return units[3][0].format(0);
    const [big, size] = units[at];
    const rest = units[at + 1];
    const text = big.format(Math.floor(seconds / size));
    return rest ? text + ' ' + rest[0].format(Math.floor((seconds % size) / rest[1])) : text;
  };

  let skew = 0; // what the server's clock is before ours, in ms
  let due = 0; // lines whose fire has just passed
  const count = () => {
    due = 0;
    for (const el of table.querySelectorAll('time.next:not(.exact)')) {
      const seconds = Math.round((Date.parse(el.dateTime) - Date.now() - skew) / 1000);
      const late = seconds < -10;
      if (seconds < 0) due++;
      el.classList.toggle('late', late);
      const text = words(late ? -seconds : Math.max(seconds, 0));
      el.textContent = (late ? table.dataset.late : table.dataset.in).replace('{0}', text);
    }
  };
  table.addEventListener('click', (e) => {
    const el = e.target.closest('time.next');
    if (!el) return;
    if (el.classList.toggle('exact')) el.textContent = el.dataset.exact;
    else count();
  });

  // Lines renew themselves: soon when a fire has passed, else now and then.
  let last = Date.now();
  const body = table.tBodies[0];
  const renew = renewal(list, {
    url() {
      last = Date.now();
      const url = new URL(list.dataset.live, location.href);
      url.searchParams.set('part', '1');
      url.searchParams.set('here', list.dataset.here);
      return url;
    },
    ready: () => !body.querySelector('details[open]') && !body.contains(document.activeElement),
    take(text, answer) {
      const date = Date.parse(answer.headers.get('Date') ?? '');
      if (date && Math.abs(date - Date.now()) > 2000) skew = date - Date.now();
      const fresh = rows(text, body);
      if (fresh.length === 0) return false;
      body.replaceChildren(...fresh);
      count();
      return true;
    },
  });
  setInterval(() => {
    if (document.hidden) return;
    count();
    const age = Date.now() - last;
    if (age > 30000 || (due > 0 && age > 5000)) renew();
  }, 1000);
  count();

  // All that the filter finds, not only this page.
  const matching = form.querySelector('input[name=matching]');
  const all = form.querySelector('input[data-all]');
  const shown = form.querySelector('[data-n]');
  form.addEventListener('change', (e) => {
    if (matching) {
      if (e.target === matching && all.checked !== matching.checked) all.click();
      else if (e.target !== matching && !all.checked) matching.checked = false;
      if (matching.checked) shown.textContent = matching.dataset.count;
    }
  });

  // The question of a line takes the focus, so that r and Enter run a job.
  form.addEventListener('toggle', (e) => {
    if (e.target.open) e.target.querySelector('.drop button')?.focus();
  }, true);
}
