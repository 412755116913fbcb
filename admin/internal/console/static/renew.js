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
  const asking = new Map(); // the requests that are on their way, by part
  const again = () => {
    asking.forEach((mine) => mine.abort());
    asking.clear();
    parts.forEach(renew);
  };
  const renew = async (part) => {
    if (!on || asking.has(part) || busy(part)) return;
    const mine = new AbortController();
    asking.set(part, mine);
    const patience = setTimeout(() => mine.abort(), 20000);
    const tell = (how) => part.dispatchEvent(new CustomEvent('renewal', { bubbles: true, detail: { how, again } }));
    tell('asked');
    try {
      const answer = await fetch(part.dataset.renew, { headers: { Accept: 'text/html' }, signal: mine.signal });
      if (answer.redirected) {
        tell('gone');
        return;
      }
      if (!answer.ok) {
        tell(answer.status);
        return;
      }
      const text = await answer.text(); // rendered and escaped by the server
      tell('came');
      if (!on || busy(part)) return;
      const rows = () => [...part.querySelectorAll('tr[data-row]')];
      const here = rows().findIndex((row) => row.classList.contains('here'));
      part.innerHTML = text;
      rows()[here]?.classList.add('here');
    } catch {
      if (asking.get(part) === mine) tell('lost'); // the next round tries again
    } finally {
      clearTimeout(patience);
      if (asking.get(part) === mine) asking.delete(part);
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
