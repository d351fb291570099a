// What scripts add to the pages: buttons that copy, filters of the results, the search. Pages read without them.

/** Adds a button to each block of code. */
function addCopyButtons() {
  for (const block of document.querySelectorAll('pre.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code').textContent);
      button.textContent = 'copied';
    });
    block.append(button);
  }
}

/** Shows the rows of the results that the address asks for, and keeps the address up to date. */
function filterResults() {
  const form = document.querySelector('form.filters');
  if (!form) return;
  const columns = [...document.querySelectorAll('.matrix thead th')].map((th) => th.dataset.sdk);
  const asked = new URLSearchParams(location.search);
  for (const [name, value] of asked) if (form.elements[name]) form.elements[name].value = value;
  const apply = () => {
    const { level, failing, rule } = form.elements;
    let shown = 0;
    for (const row of document.querySelectorAll('.matrix tbody tr')) {
      const cell = failing.value && row.cells[columns.indexOf(failing.value)];
      const isShown =
        (!level.value || row.dataset.level === level.value) &&
        (!cell || cell.className === 'f') &&
        row.cells[0].textContent.includes(rule.value);
      row.hidden = !isShown;
      if (isShown) shown += 1;
    }
    form.querySelector('output').textContent = `${shown} rules`;
  };
  form.addEventListener('input', () => {
    const kept = [...new FormData(form)].filter(([, value]) => value !== '');
    history.replaceState(null, '', `?${new URLSearchParams(kept)}`);
    apply();
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  apply();
}

/** Shows what the search finds for the words in the address. */
async function search() {
  const list = document.querySelector('[data-list]');
  if (!list) return;
  const query = new URLSearchParams(location.search).get('q') ?? '';
  for (const input of document.querySelectorAll('input[name=q]')) input.value = query;
  if (query === '') return;
  const pagefind = await import(new URL('../pagefind/pagefind.js', location.href).href);
  const { results } = await pagefind.search(query);
  const found = await Promise.all(results.slice(0, 20).map((result) => result.data()));
  list.replaceChildren(
    ...found.map(({ url, meta, excerpt }) => {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = url;
      link.textContent = meta.title;
      const kind = document.createElement('span');
      kind.className = 'kind';
      kind.textContent = meta.kind ?? '';
      const text = document.createElement('div');
      text.className = 'quiet';
      text.innerHTML = excerpt;
      item.append(kind, link, text);
      return item;
    }),
  );
  const summary = document.querySelector('.summary');
  summary.textContent = `${results.length} pages for “${query}”`;
  list.dataset.ready = 'true';
}

addCopyButtons();
filterResults();
search();
