// The live log of a run: follows it, searches in it, wraps its lines. Without
// this module the page shows what the log says so far.

const text = document.querySelector('#log-text');
if (text) {
  const tools = document.querySelector('#log-tools');
  const follow = document.querySelector('#log-follow');
  const wrap = document.querySelector('#log-wrap');
  const search = document.querySelector('#log-search');
  const found = document.querySelector('#log-found');
  const note = document.querySelector('#log-note');
  const state = document.querySelector('#state .state');
  const maxLines = 20000; // in the page; the download has all

  tools.hidden = false;
  const bottom = () => {
    if (follow.checked) text.scrollTop = text.scrollHeight;
  };

  // The address may name a line, or the one at which the run failed: it is shown, and asked for where the page has
  // another part of the log.
  const asked = new URL(location.href).searchParams;
  const first = Number(text.firstElementChild?.id.slice(1) ?? 0);
  const go = () => {
    const name = location.hash.slice(1);
    if (name === 'fail' && !document.getElementById(name)) location.replace(location.pathname + '?at=fail');
    const line = document.getElementById(name)?.closest('.ll');
    const n = Number(/^L(\d{1,9})$/.exec(name)?.[1] ?? 0);
    if (!line && n === 0) return;
    follow.checked = false;
    if (line) {
      line.scrollIntoView({ block: 'center' });
      document.querySelector('#log').scrollIntoView();
    } else if ((n < first || n >= Number(text.dataset.next)) && asked.get('line') !== String(Math.max(n - 200, 1))) {
      location.replace(location.pathname + '?line=' + Math.max(n - 200, 1) + '#' + name);
    }
  };
  addEventListener('hashchange', go);
  const say = (words, bad) => {
    note.hidden = words === '';
    note.textContent = words;
    note.classList.toggle('bad', bad === true);
  };

  wrap.addEventListener('change', () => text.classList.toggle('nowrap', !wrap.checked));
  follow.addEventListener('change', bottom);
  text.addEventListener('wheel', (e) => {
    if (e.deltaY < 0) follow.checked = false;
  }, { passive: true });

  // Search: marks the lines, Enter goes to the next one.
  let at = -1;
  const mark = () => {
    const q = search.value.trim().toLowerCase();
    at = -1;
    let n = 0;
    for (const line of text.children) {
      const hit = q !== '' && line.lastElementChild.textContent.toLowerCase().includes(q);
      line.classList.toggle('hit', hit);
      line.classList.remove('now');
      if (hit) n++;
    }
    found.textContent = q === '' ? '' : String(n);
  };
  search.addEventListener('input', mark);
  search.addEventListener('keydown', (e) => {
    if (e.key !== 'Enter') return;
    e.preventDefault();
    const hits = [...text.querySelectorAll('.hit')];
    if (hits.length === 0) return;
    hits[at]?.classList.remove('now');
    at = (at + (e.shiftKey ? hits.length - 1 : 1)) % hits.length;
    follow.checked = false;
    hits[at].classList.add('now');
    hits[at].scrollIntoView({ block: 'center' });
  });

  if (text.dataset.end === undefined) {
    const url = new URL(text.dataset.stream, location.href);
    url.searchParams.set('from', text.dataset.next);
    let next = Number(text.dataset.next);
    const source = new EventSource(url);
    const live = (on) => document.dispatchEvent(new CustomEvent('live', { detail: { on } })); // for the foot line
    live(true);
    const as = (e) => JSON.parse(e.data);
    source.addEventListener('lines', (e) => {
      const piece = as(e);
      if (piece.next <= next) return; // sent again after a broken connection
      next = piece.next;
      text.insertAdjacentHTML('beforeend', piece.html); // rendered and escaped by the server
      while (text.children.length > maxLines) text.firstElementChild.remove();
      if (search.value.trim() !== '') mark();
      say('');
      bottom();
    });
    const showState = (s) => {
      if (!state) return;
      const waited = state.classList.contains('state-wait');
      const shapes = { ok: '✓', bad: '✕', run: '●', wait: '◷', skip: '⊘', kill: '■' };
      state.className = 'state state-' + s.kind;
      state.textContent = (shapes[s.kind] ?? '?') + ' ' + s.text;
      // It was waiting when the page was made: now it can be killed, and the page says why nothing happens no more.
      if (s.kind === 'run' && waited && !document.querySelector('details.confirm[open]')) location.reload();
    };
    let fault = ''; // what the admin has said last of the executor, over this connection
    source.addEventListener('state', (e) => {
      showState(as(e));
      if (fault === '' && note.classList.contains('bad')) say('');
    });
    source.addEventListener('end', (e) => {
      source.close();
      live(null);
      showState(as(e));
      if (!note.classList.contains('bad')) say('');
      if (text.dataset.open === undefined) return; // the page knew that it had ended
      // Times, message and what may be done now come with the page; not while somebody reads on or asks.
      if (follow.checked && search.value === '' && !document.querySelector('details.confirm[open]')) location.reload();
    });
    let broken = false;
    source.addEventListener('error', () => { // it connects again by itself
      broken = fault === ''; // else the admin has closed it, as the executor does not answer
      if (broken) say(document.querySelector('#foot').dataset.lost, true);
      fault = '';
    });
    source.addEventListener('open', () => {
      if (broken) say('');
      broken = false;
    });
    source.addEventListener('problem', (e) => {
      fault = as(e).text;
      say(fault, true);
    });
    source.addEventListener('gone', (e) => {
      source.close();
      live(null);
      say(as(e).text, true);
      document.dispatchEvent(new CustomEvent('signed', { detail: { in: false } }));
    });
  }
  bottom();
  go();
}

// A run that was asked to stop: is it over? Looked at again while the page says so,
// and nobody asks for something else.
if (document.querySelector('[data-stopping]')) {
  setInterval(() => {
    if (!document.hidden && !document.querySelector('details.confirm[open]')) location.reload();
  }, 2500);
}
