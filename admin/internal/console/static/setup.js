// The setup: the browser's time zone as a suggestion, and the wait for the
// first executor. Without it the zone is typed and the page loads itself again.

const zone = document.querySelector('#f-zone');
const here = document.querySelector('#zones')?.dataset.here;
if (zone && zone.value === '') {
  const mine = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (mine && mine !== here && mine.includes('/') && !mine.startsWith('Etc/')) zone.value = mine;
}

// It is asked for every two seconds until somebody is there; then nothing is
// put in place of the form that is being filled in.
const wait = document.querySelector('#wait');
if (wait) {
  const found = () => wait.querySelector('[data-found]') !== null;
  const live = (on) => document.dispatchEvent(new CustomEvent('live', { detail: { on } })); // for the foot line
  if (!found()) live(true);
  const timer = setInterval(async () => {
    if (found()) {
      clearInterval(timer);
      return;
    }
    if (document.hidden) return;
    try {
      const answer = await fetch(wait.dataset.url, { headers: { Accept: 'text/html' } });
      if (answer.status === 410) location.reload(); // somebody else has finished it
      if (!answer.ok || answer.redirected || found()) return;
      const text = await answer.text();
      if (!text.includes('data-found')) return;
      wait.innerHTML = text; // rendered and escaped by the server
      live(null);
    } catch {
      // the next round asks again
    }
  }, 2000);
}
