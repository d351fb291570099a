// The script of the pages: copy buttons, filters of the results, the search. Pages are readable without it.

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

/** Filters the rows of the results by the query of the address, and keeps the address up to date. */
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

/** Common words of questions, which the search ignores. */
const COMMON =
  /^(?:a|an|and|are|as|be|by|can|do|does|for|from|has|have|how|i|in|is|it|its|me|must|my|not|of|on|or|the|their|this|to|we|what|when|where|which|why|with|you|your)$/;

/** Finds pages with all words, then pages with some of them, those with most words first. */
async function findPages(pagefind, query) {
  const words = query.toLowerCase().match(/[^\s?,;]+/g) ?? [];
  const telling = words.filter((word) => !COMMON.test(word));
  const all = await pagefind.search(telling.length === 0 ? query : telling.join(' '));
  const pages = new Map();
  for (const result of all.results) pages.set(result.id, { result, score: 1000 + result.score });
  if (telling.length < 2) return all.results;
  for (const word of telling) {
    const found = await pagefind.search(word);
    // A rarer word has more weight.
    const weight = 1 / Math.log(2 + found.results.length);
    for (const result of found.results) {
      const page = pages.get(result.id) ?? { result, score: 0 };
      page.score += weight;
      pages.set(result.id, page);
    }
  }
  const sorted = [...pages.values()].sort((a, b) => b.score - a.score);
  return sorted.map(({ result }) => result);
}

/** A page that the search found. */
function renderResult({ url, meta, excerpt }) {
  const item = document.createElement('li');
  const kind = document.createElement('span');
  kind.className = 'kind';
  kind.textContent = meta.kind ?? '';
  const link = document.createElement('a');
  link.href = url;
  link.textContent = meta.title;
  const summary = document.createElement('div');
  summary.textContent = meta.summary ?? '';
  const text = document.createElement('div');
  text.className = 'quiet';
  // Pagefind escapes the text and marks the words.
  text.innerHTML = excerpt;
  item.append(kind, link, summary, text);
  return item;
}

/** Further pages are only counted. */
const SHOWN = 20;

/** Shows the search results for the words in the address. */
async function search() {
  const list = document.querySelector('[data-list]');
  if (!list) return;
  const query = new URLSearchParams(location.search).get('q') ?? '';
  for (const input of document.querySelectorAll('input[name=q]')) input.value = query;
  if (query === '') return;
  const pagefind = await import(new URL('../pagefind/pagefind.js', location.href).href);
  const found = await findPages(pagefind, query);
  const shown = await Promise.all(found.slice(0, SHOWN).map((result) => result.data()));
  list.replaceChildren(...shown.map(renderResult));
  document.querySelector('.summary').textContent =
    found.length === 0 ? `No page matches “${query}”.` : `${found.length} pages for “${query}”`;
  list.dataset.ready = 'true';
}

addCopyButtons();
filterResults();
search();
