// What can be submitted on the page, one entry for each button of a form that is
// posted. It returns a function too, for robot_test.go: press fills in the form
// of a button and submits it.
(() => {
  const buttons = [...document.querySelectorAll('button, input[type=submit]')].filter((b) => b.type === 'submit' && !b.disabled && b.form?.method === 'post');
  const action = (b) => new URL(b.getAttribute('formaction') ?? b.form.getAttribute('action') ?? '', location.href).pathname;
  window.press = (nth, values) => {
    const form = buttons[nth].form;
    const set = (el) => {
      if (el.name in values) {
        if (el.type === 'checkbox' || el.type === 'radio') el.checked = el.value === values[el.name];
        else if (el.type === 'file') {
          const files = new DataTransfer();
          files.items.add(new File([values[el.name]], 'robot.yaml', { type: 'text/yaml' }));
          el.files = files.files;
        } else el.value = values[el.name];
        return;
      }
      if (el.type === 'checkbox') {
        const first = form.querySelector(`input[type=checkbox][name="${CSS.escape(el.name)}"]`);
        if (el.required || (el.name === 'id' && el === first)) el.checked = true;
      } else if (el.nodeName === 'SELECT') {
        if (el.value === '') el.value = [...el.options].find((o) => o.value !== '' && !o.disabled)?.value ?? '';
      } else if (el.required && el.value === '') {
        el.value = el.type === 'number' ? el.min || '1' : el.type === 'email' ? 'robot@example.com' : 'robot';
      }
    };
    for (const el of form.elements) if (el.name && !['hidden', 'submit', 'button'].includes(el.type)) set(el);
    document.documentElement.leaving = true;
    form.noValidate = true;
    form.requestSubmit(buttons[nth]);
  };
  return buttons.map((b, nth) => ({
    nth, action: action(b), name: b.name, value: b.name === 'do' ? b.value : '', undo: b.closest('.toast') !== null,
    sure: b.form.querySelector('input[name=sure]') !== null,
  }));
})()
