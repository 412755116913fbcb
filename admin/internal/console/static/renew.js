// What changes by itself renews itself every few seconds, until it is paused; a
// part with data-every only each so many times. Nothing moves while somebody is in
// it: with the focus, with an open question, or with text selected.

const parts = [...document.querySelectorAll('[data-renew]')];
const button = document.querySelector('#live');

if (parts.length > 0 && button) {
  let on = true;
  button.hidden = false;
  const show = () => {
    button.textContent = on ? button.dataset.live : button.dataset.paused;
    button.setAttribute('aria-pressed', String(on));
  };
  const busy = (part) => document.hidden || part.contains(document.activeElement) ||
    part.querySelector('details[open], .whole, time.exact') || !getSelection().isCollapsed;
  const renew = async (part) => {
    if (!on || busy(part)) return;
    try {
      const answer = await fetch(part.dataset.renew, { headers: { Accept: 'text/html' } });
      if (!answer.ok || answer.redirected) return;
      const text = await answer.text(); // rendered and escaped by the server
      if (!on || busy(part)) return;
      const rows = () => [...part.querySelectorAll('tr[data-row]')];
      const here = rows().findIndex((row) => row.classList.contains('here'));
      part.innerHTML = text;
      rows()[here]?.classList.add('here');
    } catch {
      // The foot line says that the connection is lost; the next round tries again.
    }
  };
  button.addEventListener('click', () => {
    on = !on;
    show();
    parts.forEach(renew);
  });
  show();
  let round = 0;
  setInterval(() => {
    round++;
    parts.filter((part) => round % Number(part.dataset.every ?? 1) === 0).forEach(renew);
  }, 3000);
}
