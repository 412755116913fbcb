// The editor of jobs: what belongs to the chosen kind of schedule, a preview
// while typing, a builder of expressions, and a check of JSON.

const form = document.querySelector('form.editor');
const field = (name) => form.elements[name];
const preview = document.querySelector('#preview');

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
    atTheField(kind === 'FIX_RATE' ? 'seconds' : 'cron');
  } catch {
    // the next change asks again
  }
};
// What is wrong with the schedule is said at its field, in place of what was said
// when it was sent.
const atTheField = (name) => {
  for (const other of ['cron', 'seconds']) {
    const problems = document.querySelector('#p-' + other);
    const problem = other === name ? preview.querySelector(':scope > .problem') : null;
    problems.replaceChildren(...(problem ? [problem] : []));
    problems.closest('.field').classList.toggle('field-bad', problem !== null);
    field(other).toggleAttribute('aria-invalid', problem !== null);
    if (problem) field(other).setAttribute('aria-invalid', 'true');
  }
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

// A parameter that looks like JSON is checked.
const param = field('param');
const note = document.querySelector('#json');
const check = () => {
  const text = param.value.trim();
  note.className = 'hint';
  note.textContent = '';
  if (!/^[[{]/.test(text)) return;
  try {
    JSON.parse(text);
    note.textContent = '✓ ' + param.dataset.json;
  } catch (err) {
    note.textContent = '▲ ' + param.dataset.notjson + ' ' + err.message;
    note.className = 'hint warn';
  }
};
param.addEventListener('input', check);
check();

// Nothing typed is lost by a click on a link.
let changed = false;
form.addEventListener('input', () => { changed = true; });
form.addEventListener('submit', () => { changed = false; });
addEventListener('beforeunload', (e) => { if (changed) e.preventDefault(); });
