// The first page of the list of runs renews itself, until it is paused. What is
// selected, the line one stands on, and the focus stay.

import { renewal, rows } from './renewal.js';

const list = document.querySelector('#runs[data-live]');

// stops are where the focus can be in a row.
const stops = (row) => [...row?.querySelectorAll('a, button, input') ?? []];

if (list) {
  const body = list.querySelector('tbody');
  const url = new URL(list.dataset.live, location.href);
  url.searchParams.set('part', '1');
  const ask = renewal(list, {
    url: () => url,
    ready: () => !document.querySelector('details.confirm[open]'),
    take(text) {
      if (!body && text.includes('data-row')) location.reload(); // the first run brings the table
      if (!body) return true;
      const fresh = rows(text, body);
      if (fresh.length === 0) return false;
      const held = body.contains(document.activeElement) ? document.activeElement : null;
      const row = held?.closest('tr').dataset.row;
      const nth = held ? stops(held.closest('tr')).indexOf(held) : -1;
      body.replaceChildren(...fresh);
      if (nth >= 0) stops(body.querySelector(`tr[data-row="${CSS.escape(row)}"]`))[nth]?.focus({ preventScroll: true });
      return true;
    },
  });
  setInterval(ask, 3000);
}
