// What all that renews itself has in common: how the server is asked, how long an
// answer is waited for, what is told of it, and the button that pauses.

const patience = 20000; // ms
const button = document.querySelector('#live');
const all = []; // what asks for each place that renews itself
let on = true;
let out = false; // whether it only pauses as the login has ended

// The foot line says "live" only while something renews itself.
const tell = () => document.dispatchEvent(new CustomEvent('live', { detail: { on } }));

const show = () => {
  button.textContent = on ? button.dataset.live : button.dataset.paused;
  button.setAttribute('aria-pressed', String(on));
};
button?.addEventListener('click', () => {
  on = !on;
  out = false;
  show();
  tell();
  all.forEach((ask) => ask());
});
document.addEventListener('signed', (e) => {
  if (e.detail.in ? !out : !on) return; // one has paused it oneself
  on = e.detail.in;
  out = !on;
  if (button) show();
  if (!on) return;
  tell();
  all.forEach((ask) => ask());
});
document.addEventListener('visibilitychange', () => all.forEach((ask) => ask()));

// renewal makes a place one that renews itself, and returns what asks for it. url
// says where; ready whether now is a time for it, asked before the request and
// before its answer is taken; take puts the text in, which the server has rendered
// and escaped, and says whether all of it is in: then the same is not taken again. The place
// dispatches "renewal": how is asked, came, lost, gone, or the status of the
// answer; again asks once more.
export const renewal = (place, { url, ready, take }) => {
  let asking = null; // the request that is on its way
  let tag = ''; // of what is shown
  const again = () => {
    asking?.abort();
    asking = null;
    return ask();
  };
  const ask = async () => {
    if (!on || asking || document.hidden || !ready()) return;
    const mine = new AbortController();
    asking = mine;
    const wait = setTimeout(() => mine.abort(), patience);
    const say = (how) => place.dispatchEvent(new CustomEvent('renewal', { bubbles: true, detail: { how, again } }));
    say('asked');
    try {
      const headers = { Accept: 'text/html', ...tag && { 'If-None-Match': tag } };
      const answer = await fetch(url(), { headers, signal: mine.signal });
      if (answer.redirected) {
        say('gone');
      } else if (answer.status === 304) {
        say('came');
      } else if (!answer.ok) {
        say(answer.status);
      } else {
        const text = await answer.text();
        say('came');
        if (!on || !ready()) return;
        tag = take(text, answer) ? answer.headers.get('ETag') ?? '' : '';
      }
    } catch {
      if (asking === mine) say('lost'); // the next round tries again
    } finally {
      clearTimeout(wait);
      if (asking === mine) asking = null;
    }
  };
  all.push(ask);
  if (button?.hidden) {
    button.hidden = false;
    show();
  }
  tell();
  return ask;
};

// rows makes lines of a table out of a text, and chooses those that are chosen in
// the body that is shown; the line one stands on stays it.
export const rows = (text, body) => {
  const fresh = document.createElement('tbody');
  fresh.innerHTML = text;
  const checked = new Set([...body.querySelectorAll('input[name=id]:checked')].map((box) => box.value));
  const here = body.querySelector('tr.here')?.dataset.row;
  for (const row of fresh.children) {
    const box = row.querySelector('input[name=id]');
    if (box && checked.has(box.value)) box.checked = true;
    if (here !== undefined && row.dataset.row === here) row.classList.add('here');
  }
  return [...fresh.children];
};
