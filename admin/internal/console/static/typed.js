// What was typed is not lost with the login: who sends a form after the login has
// ended finds it again after signing in, at the form. It stays in this tab, for the
// same user, for an hour. Secrets are never kept: only forms that say data-keep are,
// and of them no password, no file and no token of the page.

const kept = 'typed';
const most = 1 << 20; // characters
const long = 3600000; // ms
const never = ['password', 'file', 'submit', 'button', 'reset', 'image'];
const user = document.querySelector('.top .who')?.textContent;

const read = () => {
  try {
    return JSON.parse(sessionStorage.getItem(kept));
  } catch {
    return null; // there is no storage
  }
};
const write = (typed) => {
  try {
    sessionStorage.removeItem(kept);
    const text = JSON.stringify(typed);
    if (typed && text.length <= most) sessionStorage.setItem(kept, text);
  } catch {
    // without storage, or with a full one, it has to be typed again
  }
};

const checked = (el) => el.type === 'checkbox' || el.type === 'radio';
const fields = (form) => [...form.elements].filter((el) => el.name && el.name !== 'csrf' && !never.includes(el.type));

// restore puts what was typed into the fields of the same names, in their order, and
// lets the modules of the page know.
const restore = (form, typed) => {
  const left = new Map();
  for (const [name, value] of typed.fields) left.set(name, [...(left.get(name) ?? []), value]);
  for (const el of fields(form)) {
    const value = left.get(el.name)?.shift();
    if (value === undefined || value === (checked(el) ? el.checked : el.value)) continue;
    if (checked(el)) el.checked = value;
    else el.value = value;
    for (const kind of ['input', 'change']) el.dispatchEvent(new Event(kind, { bubbles: true }));
  }
};

const offer = (form, typed) => {
  const words = document.querySelector('#foot').dataset;
  const box = document.createElement('div');
  box.className = 'toast flat';
  box.role = 'status';
  const text = Object.assign(document.createElement('span'), { textContent: words.typed });
  const button = (label, act) => {
    const b = Object.assign(document.createElement('button'), { type: 'button', textContent: label });
    b.addEventListener('click', () => {
      write(null);
      act();
    });
    return b;
  };
  const put = button(words.typedPut, () => {
    restore(form, typed);
    const menu = form.closest('details');
    if (menu) menu.open = true;
    box.replaceChildren(Object.assign(document.createElement('span'), { textContent: words.typedBack }));
    form.scrollIntoView({ block: 'nearest' });
  });
  put.id = 'typed';
  box.append(text, ' ', put, ' ', button(words.typedDrop, () => box.remove()));
  document.querySelector('main').prepend(box);
};

document.addEventListener('submit', (e) => {
  const form = e.target;
  if (e.defaultPrevented || !user || !form.hasAttribute('data-keep')) return;
  write({
    user, action: new URL(form.action).pathname, at: Date.now(),
    fields: fields(form).map((el) => [el.name, checked(el) ? el.checked : el.value]),
  });
});

const typed = read();
if (typed && document.querySelector('body.gate input[name=why][value=undone]')) {
  write({ ...typed, asked: true });
} else if (typed && user) {
  const form = [...document.querySelectorAll('form[data-keep]')].find((f) => new URL(f.action).pathname === typed.action);
  if (!typed.asked || typed.user !== user || Date.now() - typed.at > long) write(null); // it was taken, or is not theirs
  else if (form) offer(form, typed);
}
