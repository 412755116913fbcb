// The editor of code: line numbers, the tab key, Ctrl-S, and a warning before
// what was typed is lost. Without this module it is a plain field.

const form = document.querySelector('#code-form');
if (form) {
  const code = document.querySelector('#code');
  const gutter = document.querySelector('#gutter');
  const unsaved = document.querySelector('#unsaved');
  const remark = document.querySelector('#remark');
  let saved = code.value;

  // Line numbers beside the field, which does not wrap.
  let lines = 0;
  const number = () => {
    const n = code.value.split('\n').length;
    if (n === lines) return;
    lines = n;
    gutter.textContent = Array.from({ length: n }, (_, i) => i + 1).join('\n');
  };
  const follow = () => { gutter.scrollTop = code.scrollTop; };
  const typed = () => {
    number();
    follow();
    unsaved.hidden = code.value === saved;
  };
  gutter.hidden = false;
  document.querySelector('#keys-hint').hidden = false;
  code.addEventListener('input', typed);
  code.addEventListener('scroll', follow);
  new ResizeObserver(() => { gutter.style.height = ''; follow(); }).observe(code);

  // insert puts a text in place of what is selected, so that it can be undone.
  const insert = (text) => {
    if (!document.execCommand('insertText', false, text)) {
      code.setRangeText(text, code.selectionStart, code.selectionEnd, 'end');
      typed();
    }
  };
  // indent moves the selected lines to the right or to the left.
  const indent = (left) => {
    const from = code.value.lastIndexOf('\n', code.selectionStart - 1) + 1;
    let to = code.value.indexOf('\n', Math.max(code.selectionEnd - 1, from));
    if (to < 0) to = code.value.length;
    const old = code.value.slice(from, to);
    const text = old.split('\n').map((l) => (left ? l.replace(/^(\t| {1,4})/, '') : l === '' ? l : '\t' + l)).join('\n');
    if (text === old) return;
    code.setSelectionRange(from, to);
    insert(text);
    code.setSelectionRange(from, from + text.length);
  };
  // Tab indents; behind Escape it leaves the field, as everywhere.
  let leaving = false;
  code.addEventListener('keydown', (e) => {
    if (e.key === 'Escape') {
      leaving = true;
      return;
    }
    if (e.key === 'Tab' && !leaving && !e.ctrlKey && !e.altKey && !e.metaKey) {
      e.preventDefault();
      const several = code.value.slice(code.selectionStart, code.selectionEnd).includes('\n');
      if (e.shiftKey || several) indent(e.shiftKey);
      else insert('\t');
    } else if (e.key === 'Enter' && !e.isComposing && !e.ctrlKey && !e.altKey && !e.metaKey) {
      e.preventDefault();
      const start = code.value.lastIndexOf('\n', code.selectionStart - 1) + 1;
      insert('\n' + code.value.slice(start, code.selectionStart).match(/^[ \t]*/)[0]);
    }
    if (e.key !== 'Shift') leaving = false;
  });
  code.addEventListener('blur', () => { leaving = false; });

  // Ctrl-S saves, when it is said what has changed.
  form.addEventListener('keydown', (e) => {
    if (!(e.ctrlKey || e.metaKey) || e.key !== 's') return;
    e.preventDefault();
    if (remark.value.trim() === '') remark.focus();
    else form.requestSubmit();
  });
  form.addEventListener('submit', () => { saved = code.value; });
  addEventListener('beforeunload', (e) => { if (code.value !== saved) e.preventDefault(); });
  number();
}
