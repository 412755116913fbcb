// The editor of jobs: what belongs to the chosen kind of schedule, a preview
// while typing, a builder of expressions, and a check of JSON.

const form = document.querySelector('form.editor');
const field = (name) => form.elements[name];
const preview = document.querySelector('#preview');
let changed = form.hasAttribute('data-again'); // what is typed is not saved yet

// Only the fields of the chosen kind are shown.
const showKind = () => {
  for (const el of form.querySelectorAll('[data-kind]')) el.hidden = el.dataset.kind !== field('schedule').value;
};

// Preview: asked for when nothing was typed for a moment.
let asked = 0;
let timer;
const ask = async () => {
  const mine = ++asked;
  const url = new URL(form.dataset.preview, location.href);
  const kind = field('schedule').value;
  url.searchParams.set('schedule', kind);
  url.searchParams.set('conf', kind === 'CRON' ? field('cron').value : kind === 'FIX_RATE' ? field('seconds').value : '');
  url.searchParams.set('zone', kind === 'CRON' ? field('zone').value : '');
  try {
    const answer = await fetch(url, { headers: { Accept: 'text/html' } });
    if (!answer.ok || answer.redirected || mine !== asked) return;
    preview.innerHTML = await answer.text(); // rendered and escaped by the server
    atTheField();
  } catch {
    // the next change asks again
  }
};
// What is wrong with the schedule is said at its field, in place of what was said
// when it was sent.
const atTheField = () => {
  const problem = preview.querySelector(':scope > .problem');
  for (const name of ['cron', 'seconds', 'zone']) {
    const mine = problem?.dataset.at === name;
    const problems = document.querySelector('#p-' + name);
    problems.replaceChildren(...(mine ? [problem] : []));
    mark(name, mine);
  }
};
// A field is marked as one with a problem, or as one without.
const mark = (name, bad) => {
  document.querySelector('#p-' + name).closest('.field').classList.toggle('field-bad', bad);
  field(name).toggleAttribute('aria-invalid', false);
  if (bad) field(name).setAttribute('aria-invalid', 'true');
};
const soon = () => {
  clearTimeout(timer);
  timer = setTimeout(ask, 200);
};
for (const name of ['cron', 'seconds', 'zone']) field(name).addEventListener('input', soon);
field('schedule').addEventListener('change', () => {
  showKind();
  soon();
});
form.addEventListener('click', (e) => {
  const button = e.target.closest('button');
  if (!button) return;
  if (button.name === 'preset') {
    e.preventDefault();
    field('cron').value = button.value;
    parts();
    ask();
  }
});

// Builder: the seven fields side by side, joined to the expression.
const builder = document.querySelector('#builder');
const labels = JSON.parse(builder.dataset.labels ?? '[]');
const inputs = labels.map((label) => {
  const box = document.createElement('label');
  const input = document.createElement('input');
  input.setAttribute('aria-label', label);
  box.append(label, input);
  builder.append(box);
  input.addEventListener('input', () => {
    field('cron').value = inputs.map((i) => i.value.trim() || '*').join(' ').replace(/ \*$/, '');
    soon();
  });
  return input;
});
const parts = () => {
  const list = field('cron').value.trim().split(/\s+/);
  inputs.forEach((input, i) => { input.value = list[i] ?? (i === 6 ? '*' : ''); });
};
field('cron').addEventListener('input', parts);
builder.hidden = inputs.length === 0;
parts();
showKind();
form.querySelector('[data-again]').hidden = true; // what is typed is previewed anyway

// JSON, read token by token: where it goes wrong (-1 is nowhere), and on lines of its
// own, with numbers and the order of keys as they were typed.
const token = /[ \t\r\n]+|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/y;
const read = (text) => {
  const open = []; // what is open: { or [
  let out = '';
  let want = 'value'; // value, first (a value or the end), key, name (a key or the end), colon, more, nothing
  const line = () => { out += '\n' + '  '.repeat(open.length); };
  const after = () => { want = open.length ? 'more' : 'nothing'; };
  for (let at = 0; at < text.length; at = token.lastIndex) {
    token.lastIndex = at;
    const t = token.exec(text)?.[0];
    if (t === undefined) return { at };
    if (/^\s/.test(t)) continue;
    const top = open.at(-1);
    if (want === 'nothing') return { at };
    if (want === 'more') {
      if (t === ',') {
        out += t;
        line();
        want = top === '{' ? 'key' : 'value';
      } else if (t === (top === '{' ? '}' : ']')) {
        open.pop();
        line();
        out += t;
        after();
      } else return { at };
    } else if (want === 'colon') {
      if (t !== ':') return { at };
      out += ': ';
      want = 'value';
    } else if ((want === 'name' && t === '}') || (want === 'first' && t === ']')) {
      open.pop();
      out += t;
      after();
    } else if (want === 'key' || want === 'name') {
      if (t[0] !== '"') return { at };
      if (want === 'name') line();
      out += t;
      want = 'colon';
    } else if (/^[}\],:]/.test(t)) {
      return { at };
    } else {
      if (want === 'first') line();
      out += t;
      if (t === '{' || t === '[') {
        open.push(t);
        want = t === '{' ? 'name' : 'first';
      } else after();
    }
  }
  return want === 'nothing' ? { at: -1, out } : { at: text.length };
};

// A parameter is checked: as JSON at its field, as text with a word below it.
const param = field('param');
const note = document.querySelector('#json');
const isJSON = () => field('paramkind').value === 'json';
const where = (text, at) => {
  const before = text.slice(0, at).split('\n');
  const column = [...before.at(-1)].length + 1;
  return param.dataset.at.replace('{0}', before.length).replace('{1}', column);
};
const say = (name, text) => {
  const problems = document.querySelector('#p-' + name);
  mark(name, text !== '');
  problems.replaceChildren();
  if (text === '') return;
  const p = document.createElement('p');
  p.className = 'problem';
  p.textContent = '✕ ' + text;
  problems.append(p);
};
const check = () => {
  const text = param.value;
  const found = read(text);
  note.className = 'hint';
  note.textContent = '';
  const bad = isJSON() && found.at >= 0;
  say('param', !bad ? '' : text.trim() === '' ? param.dataset.empty : where(text, found.at));
  if (!isJSON() && !/^\s*[[{]/.test(text)) return;
  if (found.at < 0) note.textContent = '✓ ' + param.dataset.json;
  else if (!bad) {
    note.textContent = '▲ ' + param.dataset.notjson + ' ' + where(text, found.at);
    note.className = 'hint warn';
  }
};
param.addEventListener('input', check);
for (const radio of field('paramkind')) radio.addEventListener('change', check);
document.querySelector('#format').addEventListener('click', (e) => {
  e.preventDefault();
  field('paramkind').value = 'json';
  const { out } = read(param.value);
  if (out !== undefined && out !== param.value) {
    param.value = out;
    changed = true;
  }
  check();
  param.focus();
});
if (!document.querySelector('#p-param .problem')) check();

// Numbers are checked while typing.
for (const input of form.querySelectorAll('[data-bad]')) {
  input.addEventListener('input', () => say(input.name, input.validity.valid ? '' : input.dataset.bad));
}

// Child jobs: looked for by name, chosen with a click, taken out with another.
const picker = document.querySelector('#picker');
const ids = field('children');
let looked = 0;
const pick = async () => {
  const mine = ++looked;
  const url = new URL(picker.dataset.from, location.href);
  url.search = new URLSearchParams({ id: picker.dataset.id, children: ids.value, find: field('find').value.trim() });
  try {
    const answer = await fetch(url, { headers: { Accept: 'text/html' } });
    if (!answer.ok || answer.redirected || mine !== looked) return;
    const box = document.createElement('template');
    box.innerHTML = await answer.text(); // rendered and escaped by the server
    for (const part of box.content.querySelectorAll('[data-part]')) {
      picker.querySelector(`[data-part="${part.dataset.part}"]`).replaceChildren(...part.childNodes);
    }
    const bad = picker.querySelector('[data-part="problem"] .problem') !== null;
    picker.querySelector('.field').classList.toggle('field-bad', bad);
    field('find').toggleAttribute('aria-invalid', false);
    if (bad) field('find').setAttribute('aria-invalid', 'true');
  } catch {
    // the next change asks again
  }
};
let later;
const pickSoon = () => {
  clearTimeout(later);
  later = setTimeout(pick, 200);
};
ids.addEventListener('input', pickSoon);
field('find').addEventListener('input', (e) => {
  e.stopPropagation(); // looking for something changes nothing
  pickSoon();
});
field('find').addEventListener('keydown', (e) => {
  if (e.key !== 'Enter') return;
  e.preventDefault();
  const first = picker.querySelector('[data-part="found"] button');
  if (first) first.click();
  else pick();
});
picker.addEventListener('click', (e) => {
  const button = e.target.closest('button');
  if (!button) return;
  e.preventDefault();
  const list = ids.value.split(',').map((id) => id.trim()).filter((id) => id && id !== button.value);
  if (button.name === 'add') {
    list.push(button.value);
    field('find').value = '';
  }
  if (button.name === 'add' || button.name === 'drop') {
    ids.value = list.join(',');
    changed = true;
    field('find').focus();
  }
  pick();
});
picker.querySelector('[data-find]').hidden = true; // what is typed is looked for anyway

// Nothing typed is lost by a click on a link.
form.addEventListener('input', () => { changed = true; });
form.addEventListener('submit', () => { changed = false; });
addEventListener('beforeunload', (e) => { if (changed) e.preventDefault(); });
