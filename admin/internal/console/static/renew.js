// What changes by itself renews itself every few seconds, until it is paused; a
// part with data-every only each so many times. Nothing moves while somebody is in
// it: with the focus, with an open question, with something typed, or with text
// selected.

import { renewal } from './renewal.js';

const typed = (el) => (el.matches('[type=checkbox], [type=radio]') ? el.checked !== el.defaultChecked :
  el.matches('select') ? el.selectedIndex !== Math.max([...el.options].findIndex((o) => o.defaultSelected), 0) :
    el.value !== el.defaultValue);
const busy = (part) => part.contains(document.activeElement) || !getSelection().isCollapsed ||
  part.querySelector('details[open], .whole, time.exact') || [...part.querySelectorAll('input, select, textarea')].some(typed);

// Parts with the same address are asked for at once: the answer has each under its
// name.
const asks = [...Map.groupBy(document.querySelectorAll('[data-renew]'), (part) => part.dataset.renew)].map(([url, parts]) => {
  const take = (text) => {
    const all = document.createElement('div');
    all.innerHTML = text;
    const free = parts.filter((part) => !busy(part));
    for (const part of free) {
      const fresh = part.dataset.part ? all.querySelector(`[data-part="${part.dataset.part}"]`) : all;
      if (!fresh) continue; // one may no longer
      const lines = () => [...part.querySelectorAll('tr[data-row]')];
      const here = lines().findIndex((row) => row.classList.contains('here'));
      part.replaceChildren(...fresh.childNodes);
      lines()[here]?.classList.add('here');
    }
    return free.length === parts.length;
  };
  const ask = renewal(parts.at(-1), { url: () => url, ready: () => !parts.every(busy), take });
  return [ask, Number(parts[0].dataset.every ?? 1)];
});

let round = 0;
setInterval(() => {
  round++;
  for (const [ask, every] of asks) if (round % every === 0) ask();
}, 3000);
