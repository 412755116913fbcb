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
  const renew = async () => {
    const body = list.querySelector('tbody');
    if (!on || document.hidden || !body || document.querySelector('details.confirm[open]')) return;
    const url = new URL(list.dataset.live, location.href);
    url.searchParams.set('part', '1');
    try {
      const answer = await fetch(url, { headers: { Accept: 'text/html' } });
      if (!answer.ok || answer.redirected || !on) return;
      const checked = new Set([...body.querySelectorAll('input[name=id]:checked')].map((box) => box.value));
      const here = body.querySelector('tr.here')?.dataset.row;
      const fresh = document.createElement('tbody');
      fresh.innerHTML = await answer.text(); // rendered and escaped by the server
      if (fresh.children.length === 0) return;
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
      // The foot line says that the connection is lost; the next round tries again.
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
