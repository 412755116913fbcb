// The first page of the list of runs renews itself, until it is paused. What is
// selected, the line one stands on, and the focus stay.

const list = document.querySelector('#runs[data-live]');
const button = document.querySelector('#live');

// stops are where the focus can be in a row.
const stops = (row) => [...row?.querySelectorAll('a, button, input') ?? []];

if (list && button) {
  let on = true;
  button.hidden = false;
  const show = () => {
    button.textContent = on ? button.dataset.live : button.dataset.paused;
    button.setAttribute('aria-pressed', String(on));
  };
  let asking = null; // the request that is on its way
  const again = () => {
    asking?.abort();
    asking = null;
    renew();
  };
  const renew = async () => {
    const body = list.querySelector('tbody');
    if (!on || asking || document.hidden || !body || document.querySelector('details.confirm[open]')) return;
    const url = new URL(list.dataset.live, location.href);
    url.searchParams.set('part', '1');
    const mine = new AbortController();
    asking = mine;
    const patience = setTimeout(() => mine.abort(), 20000);
    const tell = (how) => list.dispatchEvent(new CustomEvent('renewal', { bubbles: true, detail: { how, again } }));
    tell('asked');
    try {
      const answer = await fetch(url, { headers: { Accept: 'text/html' }, signal: mine.signal });
      if (answer.redirected) {
        tell('gone');
        return;
      }
      if (!answer.ok) {
        tell(answer.status);
        return;
      }
      const checked = new Set([...body.querySelectorAll('input[name=id]:checked')].map((box) => box.value));
      const here = body.querySelector('tr.here')?.dataset.row;
      const fresh = document.createElement('tbody');
      fresh.innerHTML = await answer.text(); // rendered and escaped by the server
      tell('came');
      if (fresh.children.length === 0 || !on) return;
      for (const row of fresh.children) {
        const box = row.querySelector('input[name=id]');
        if (box && checked.has(box.value)) box.checked = true;
        if (here !== undefined && row.dataset.row === here) row.classList.add('here');
      }
      const held = body.contains(document.activeElement) ? document.activeElement : null;
      const row = held?.closest('tr').dataset.row;
      const nth = held ? stops(held.closest('tr')).indexOf(held) : -1;
      body.replaceChildren(...fresh.children);
      if (nth >= 0) stops(body.querySelector(`tr[data-row="${CSS.escape(row)}"]`))[nth]?.focus({ preventScroll: true });
    } catch {
      if (asking === mine) tell('lost'); // the next round tries again
    } finally {
      clearTimeout(patience);
      if (asking === mine) asking = null;
    }
  };
  button.addEventListener('click', () => {
    on = !on;
    show();
    renew();
  });
  show();
  setInterval(renew, 3000);
}
