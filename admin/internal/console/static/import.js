// The page for import: a chosen file is read into the field, where it can be
// looked at and changed.

const file = document.querySelector('#f-file');
const text = document.querySelector('#f-text');

document.querySelector('#pick').hidden = false;
file.addEventListener('change', async () => {
  if (file.files.length > 0) text.value = await file.files[0].text();
});
