// What every page has: the command box, keys, copying, exact times on a click,
// menus that close, and the foot line. Pages read and act without it.

import './typed.js';

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const foot = $('#foot');

// typing tells whether a key belongs to a field.
const typing = (el) => el.matches('input:not([type=checkbox]), textarea, select, [contenteditable]');

// Command box: `/` or Ctrl-K, suggestions while typing, arrows and Enter.
const command = $('#command');
const found = $('#found');
if (command) {
  let asked = 0;
  let timer;
  const show = (shown) => {
    found.hidden = !shown;
    command.setAttribute('aria-expanded', String(shown));
    if (!shown) command.removeAttribute('aria-activedescendant');
  };
  for (const [name, value] of [['role', 'combobox'], ['aria-controls', 'found'], ['aria-autocomplete', 'list']]) command.setAttribute(name, value);
  found.setAttribute('role', 'listbox');
  found.setAttribute('aria-label', command.labels[0].textContent);
  show(false);
  const suggest = async () => {
    const mine = ++asked;
    const q = command.value.trim();
    if (q === '') {
      show(false);
      return;
    }
    const url = new URL(command.form.action);
    url.searchParams.set('q', q);
    url.searchParams.set('part', '1');
    try {
      const answer = await fetch(url, { headers: { Accept: 'text/html' } });
      if (!answer.ok || answer.redirected || mine !== asked) return;
      found.innerHTML = await answer.text(); // rendered and escaped by the server
      $$('a', found).forEach((a, i) => {
        a.id = 'found-' + i;
        a.role = 'option';
        a.tabIndex = -1; // the arrows lead there
      });
      show(true);
    } catch {
      show(false);
    }
  };
  command.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(suggest, 120);
  });
  command.addEventListener('keydown', (e) => {
    const links = $$('a', found);
    if (e.isComposing) return; // what an input method writes is not done
    if (e.key === 'Escape') {
      show(false);
      command.blur();
    } else if ((e.key === 'ArrowDown' || e.key === 'ArrowUp') && links.length > 0) {
      e.preventDefault();
      const at = links.findIndex((a) => a.classList.contains('here'));
      links.forEach((a) => a.classList.remove('here'));
      const step = e.key === 'ArrowDown' ? 1 : -1;
      const to = links.at((at < 0 && step < 0 ? -1 : at + step) % links.length);
      to.classList.add('here');
      to.scrollIntoView({ block: 'nearest' });
      command.setAttribute('aria-activedescendant', to.id);
    } else if (e.key === 'Enter' && $('a.here', found)) {
      e.preventDefault();
      $('a.here', found).click();
    }
  });
  document.addEventListener('click', (e) => {
    if (!command.form.contains(e.target)) show(false);
  });
}

// Fields that suggest: the server knows what begins or goes on like this.
for (const field of $$('input[data-suggest][list]')) {
  let timer = 0;
  const ask = async () => {
    const typed = field.value.trim();
    if (typed === '' || /^#?\d+$/.test(typed) || [...field.list.options].some((o) => o.value === typed)) return;
    try {
      const answer = await fetch(field.dataset.suggest + encodeURIComponent(typed), { headers: { Accept: 'text/html' } });
      if (!answer.ok || answer.redirected || typed !== field.value.trim()) return;
      field.list.innerHTML = await answer.text(); // rendered and escaped by the server
    } catch {
      // without suggestions the name can be typed
    }
  };
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 150);
  });
}

// Keys: g and a letter go somewhere; j, k, x, Enter and r work on the rows of a
// list; ? shows the list of keys.
const places = { o: '/', j: '/jobs', r: '/runs', e: '/executors', a: '/alarms', s: '/settings', h: '/help' };
let going = 0; // until when the key after g says where, in ms
document.addEventListener('keydown', (e) => {
  if ((e.ctrlKey || e.metaKey) && e.key === 'k' && command) {
    e.preventDefault();
    command.focus();
    return;
  }
  if (e.ctrlKey || e.metaKey || e.altKey || typing(e.target) || $('dialog[open]')) return;
  if (going > e.timeStamp) {
    going = 0;
    const link = places[e.key] && $$('.rail a').find((a) => {
      const path = new URL(a.href).pathname.replace(/^\/xxl-job-admin/, '') || '/';
      return path === places[e.key] && !a.classList.contains('brand');
    });
    if (link) link.click();
    return;
  }
  const rows = $$('tbody tr[data-row]');
  const at = rows.findIndex((row) => row.classList.contains('here'));
  const move = (to) => {
    if (!rows[to]) return;
    rows.forEach((row) => row.classList.remove('here'));
    rows[to].classList.add('here');
    rows[to].scrollIntoView({ block: 'nearest' });
  };
  switch (e.key) {
    case '/':
      if (command) {
        e.preventDefault();
        command.focus();
      }
      break;
    case 'g': going = e.timeStamp + 2000; break;
    case 'j': move(at + 1); break;
    case 'k': move(Math.max(at - 1, 0)); break;
    case 'x': $('input[type=checkbox]', rows[at] ?? document.createElement('i'))?.click(); break;
    case 'Enter':
      if (at >= 0 && !e.target.closest('a, button, summary, label')) $('td:not(.fit) a, a', rows[at])?.click();
      break;
    case 'r': $('[data-key=run]', rows[at] ?? $('main'))?.click(); break;
    case '?': $('#keys')?.showModal(); break;
  }
});

// A strip of runs is one stop of the tabulator: the arrows go along it.
document.addEventListener('keydown', (e) => {
  const link = e.target.closest('.chart-strip a');
  if (!link || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
  const links = $$('a', link.closest('svg'));
  const at = links.indexOf(link);
  const to = links[{ ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: links.length - 1 }[e.key]];
  if (!to) return;
  e.preventDefault();
  link.setAttribute('tabindex', '-1');
  to.setAttribute('tabindex', '0');
  to.focus();
});

// Copying: the clipboard is there only behind TLS and on this machine; else what
// is to be copied is selected, and copied the old way.
const copy = async (el) => {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(el.dataset.copy);
  } else {
    getSelection().selectAllChildren(el);
    if (!document.execCommand('copy')) return;
  }
  el.classList.add('copied');
  setTimeout(() => el.classList.remove('copied'), 1000);
};
for (const el of $$('[data-copy]:not(td *)')) { // those in lists would be a stop of the tabulator in each row
  el.tabIndex = 0;
  el.setAttribute('role', 'button');
}
document.addEventListener('keydown', (e) => {
  if (e.key !== 'Enter' || !e.target.matches('[data-copy][role=button]')) return;
  e.preventDefault();
  e.target.click();
});

// A click copies an id, puts the exact time in place of the relative one, and
// shows the whole of what was cut.
document.addEventListener('click', (e) => {
  const copied = e.target.closest('[data-copy]');
  if (copied) copy(copied).catch(() => {});
  const when = e.target.closest('time.when');
  if (when) {
    when.classList.toggle('exact');
    [when.textContent, when.dataset.exact] = [when.dataset.exact, when.textContent];
  }
  const cut = e.target.closest('.name:not(a)');
  if (cut && getSelection().isCollapsed) cut.classList.toggle('whole');
  for (const open of $$('details.menu[open], details.confirm[open]')) {
    if (!open.contains(e.target)) open.open = false;
  }
});
document.addEventListener('keydown', (e) => {
  if (e.key === 'Escape') $$('details.menu[open], details.confirm[open]').forEach((d) => { d.open = false; });
});

// Bulk bar: what is selected, and all at once.
for (const form of $$('form[data-bulk]')) {
  const boxes = () => $$('input[name=id]', form);
  const all = $('input[data-all]', form);
  const bar = $('.bulk', form);
  const show = () => {
    const n = boxes().filter((b) => b.checked).length;
    bar.classList.toggle('none', n === 0);
    $('[data-n]', bar).textContent = n;
    for (const button of $$('button', bar)) button.disabled = n === 0;
    for (const menu of $$('details', bar)) menu.inert = n === 0;
    if (all) {
      all.checked = n > 0 && n === boxes().length;
      all.indeterminate = n > 0 && n < boxes().length;
    }
  };
  form.addEventListener('change', (e) => {
    if (e.target === all) boxes().forEach((b) => { b.checked = all.checked; });
    show();
  });
  show();
}

// What was sent once is not sent again by a second click.
document.addEventListener('submit', (e) => {
  if (e.defaultPrevented || e.target.method !== 'post') return;
  if (e.target.dataset.sent !== undefined) {
    e.preventDefault();
    return;
  }
  e.target.dataset.sent = '';
  setTimeout(() => delete e.target.dataset.sent, 5000); // what it answered was a file, or nothing
});
addEventListener('pageshow', () => $$('form[data-sent]').forEach((form) => delete form.dataset.sent));

// Lists: that one is asked for again shows at its head, and that it could not be
// had in a message above the foot line. Nothing moves for either.
const trouble = $('#trouble');
let shownAt = $('#clock')?.textContent; // on the clock of the server
let lost;
const quiet = () => {
  if (trouble) trouble.hidden = true;
};
const complain = (kind, about, again) => {
  if (!trouble) return;
  const old = kind === 'slow' ? '' : ' · ' + trouble.dataset.old.replace('{0}', shownAt);
  $('span', trouble).textContent = (kind === 'slow' ? '◷ ' : '✕ ') + trouble.dataset[kind].replace('{0}', about) + old;
  trouble.classList.toggle('slow', kind === 'slow');
  $('button', trouble).onclick = again;
  trouble.hidden = false;
};

// That the login has ended, or holds again, is told to all at once by "signed".
const signed = (still) => document.dispatchEvent(new CustomEvent('signed', { detail: { in: still } }));

// A list that renews itself dispatches "renewal": how is asked, came, lost, gone,
// or the status of the answer; again asks once more.
document.addEventListener('renewal', (e) => {
  const { how, again } = e.detail;
  e.target.ariaBusy = how === 'asked' ? 'true' : null;
  if (how === 'asked') return;
  clearTimeout(lost);
  if (how === 'came') {
    shownAt = $('#clock').textContent;
    quiet();
  } else if (how === 'lost') lost = setTimeout(() => complain('lost', '', again), 300); // not of a page that is being left
  else if (how === 'gone') signed(false);
  else complain('fault', how, again);
});

// A filter, an order or another page of a list leads away from what is shown. That
// only happens while the server is there; else the list stays, and says so.
const leaving = $('main .list');
const patience = 8; // seconds
let waits;
const stay = () => {
  clearTimeout(waits);
  if (leaving) leaving.ariaBusy = null;
};
const leave = async (go) => {
  const again = () => leave(go);
  stay();
  leaving.ariaBusy = 'true';
  waits = setTimeout(() => complain('slow', patience, again), patience * 1000);
  try {
    const answer = await fetch(foot.dataset.url, { headers: { Accept: 'application/json' } });
    if (!answer.ok) {
      stay();
      complain('fault', answer.status, again);
      return;
    }
  } catch {
    stay();
    complain('lost', '', again);
    return;
  }
  quiet();
  clearTimeout(waits);
  waits = setTimeout(() => complain('slow', patience, go), patience * 1000);
  go();
};
if (leaving && trouble) {
  const checked = new WeakSet();
  document.addEventListener('submit', (e) => {
    const form = e.target;
    if (e.defaultPrevented || !form.matches('form.filters:not([method=post])') || checked.delete(form)) return;
    e.preventDefault();
    leave(() => {
      checked.add(form);
      form.requestSubmit(e.submitter);
    });
  });
  document.addEventListener('click', (e) => {
    const link = e.target.closest('main :is(.pager, .filters, .views, thead) a[href]:not([download])');
    if (!link || e.defaultPrevented || e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
    e.preventDefault();
    leave(() => location.assign(link.href));
  });
  addEventListener('pageshow', () => {
    stay();
    quiet();
  });
}

// Filters apply when something is chosen.
for (const select of $$('form.filters:not([method=post]) select')) select.addEventListener('change', () => select.form.requestSubmit());

// Relative times go on, in the words of the server: seen from its clock.
let skew = 0; // what the server's clock is before ours, in ms
const words = $('#foot')?.dataset;
const units = [['d', 86400, 172800], ['h', 3600, 3600], ['min', 60, 60], ['s', 1, 1]];
const relative = (seconds) => {
  const [unit, size] = units.find(([, , from]) => Math.abs(seconds) >= from) ?? [];
  if (unit === undefined) return words.now;
  const fill = (text, value) => text.replace('{0}', value);
  return fill(seconds < 0 ? words.ago : words.in, fill(words[unit], Math.trunc(Math.abs(seconds) / size)));
};
if (words) {
  setInterval(() => {
    if (document.hidden) return;
    for (const el of $$('time.when:not(.exact)')) {
      const text = relative(Math.trunc((Date.parse(el.dateTime) - Date.now() - skew) / 1000));
      if (el.textContent !== text) el.textContent = text;
    }
  }, 1000);
}

// Foot line: is the server there, what time has it, is the node well.
if (foot) {
  const pulse = $('#pulse');
  const clock = $('#clock');
  const faults = $('#faults');
  const put = (el, text) => {
    el.hidden = text === '';
    if (el.textContent !== text) el.textContent = text;
  };
  const reload = $('#again');
  const still = pulse.innerHTML; // of a page that stays as it was made: "as of"
  let live = null; // whether what is shown renews itself; null for what never does
  let out = false; // whether the login has ended
  let ahead = null; // what the server's day has begun before ours, in ms
  const say = (kind, mark, text) => {
    pulse.className = 'pulse ' + kind;
    pulse.replaceChildren(Object.assign(document.createElement('span'), { textContent: mark, ariaHidden: 'true' }), ' ' + text);
  };
  const calm = () => {
    if (out) say('lost', '✕', foot.dataset.out);
    else if (live) say('live', '●', foot.dataset.live);
    else if (live === false) say('', '○', foot.dataset.paused);
    else pulse.innerHTML = still;
    if (live === null && !out) pulse.className = 'pulse';
    if (reload) reload.hidden = live === true && !out;
  };
  document.addEventListener('signed', (e) => {
    out = !e.detail.in;
    if (!out) quiet();
    else if (live !== null) {
      live = false; // what renews itself pauses
      clock.textContent = shownAt;
      complain('gone', '', () => location.reload());
    }
    calm();
  });
  document.addEventListener('live', (e) => {
    live = e.detail.on;
    if (live === false) clock.textContent = shownAt;
    calm();
  });
  let asking = false;
  const ask = async () => {
    if (document.hidden || asking) return;
    asking = true;
    const mine = new AbortController();
    const giveUp = setTimeout(() => mine.abort(), patience * 1000); // a server that hangs is as bad as none
    try {
      const answer = await fetch(foot.dataset.url, { headers: { Accept: 'application/json' }, signal: mine.signal });
      if (answer.redirected) { // to the page where one signs in
        signed(false);
        return;
      }
      if (!answer.ok) throw new Error(String(answer.status));
      const s = await answer.json();
      ahead = s.ms_of_day - (Date.now() % 86400000);
      skew = s.now_ms - Date.now();
      put(faults, s.faults.length ? '✕ ' + s.faults.join(', ') : '');
      put($('#node'), s.node);
      put($('#free'), s.free && '✕ ' + s.free);
      if (out) signed(true);
      calm();
    } catch {
      say('lost', '✕', foot.dataset.lost);
    } finally {
      clearTimeout(giveUp);
      asking = false;
    }
  };
  const tick = () => {
    if (ahead === null || !live) return; // the time that it is as of stays
    const ms = (((Date.now() % 86400000) + ahead) % 86400000 + 86400000) % 86400000;
    clock.textContent = new Date(ms).toISOString().slice(11, 19);
  };
  ask();
  setInterval(ask, 10000);
  setInterval(tick, 1000);
  document.addEventListener('visibilitychange', ask);
}
