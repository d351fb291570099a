/**
 * The ETag of a file that the user chooses or drops.
 *
 * @module
 */
import { type Html, html } from '../../reference/server/pages/html.ts';
import type { EtagStages } from '../../reference/signing/index.ts';
import { find, findInput } from './elements.ts';
import type { Report } from './jobs.ts';
import type { Runner } from './runner.ts';

export const ETAG_PART: Html = html`<h2 id="etag">The ETag of a file</h2>
<p>Choose a file or drop it here. It is hashed in this browser, block by block, and sent nowhere.</p>
<div class="drop" id="drop"><input type="file" id="file" aria-label="File"></div>
<div id="etag-result" role="status"></div>`;

export function serveEtag(runner: Runner): void {
  const input = findInput('file');
  const drop = find('drop');
  const start = (file: File | undefined): void => {
    if (file) runner.start({ kind: 'etag', file }, show(find('etag-result'), file));
  };
  input.addEventListener('change', () => start(input.files?.[0]));
  drop.addEventListener('dragover', (event) => {
    event.preventDefault();
    drop.classList.add('over');
  });
  drop.addEventListener('dragleave', () => drop.classList.remove('over'));
  drop.addEventListener('drop', (event) => {
    event.preventDefault();
    drop.classList.remove('over');
    start(event.dataTransfer?.files[0]);
  });
}

const show =
  (place: HTMLElement, file: File) =>
  (report: Report): void => {
    if (report.kind === 'progress') {
      const { done, of } = report;
      const bar = place.querySelector('progress');
      if (bar) bar.value = done;
      else place.innerHTML = renderProgress(file, done, of).html;
      return;
    }
    if (report.kind === 'failed')
      place.innerHTML = html`<p><b class="wrong">${report.message}</b></p>`.html;
    if (report.kind === 'etag') place.innerHTML = renderEtag(file, report.stages).html;
  };

const renderProgress = (file: File, done: number, of: number): Html =>
  html`<p><label>Hashing ${file.name} <progress max="${of}" value="${done}"></progress></label></p>`;

function renderEtag(file: File, { blockCount, digest, etag }: EtagStages): Html {
  return html`<dl class="facts"><dt>file</dt><dd>${file.name}, ${file.size.toLocaleString('en')} bytes</dd>
<dt>ETag</dt><dd><code data-etag>${etag}</code></dd>
<dt>blocks</dt><dd>${blockCount} of 4 MiB</dd><dt>digest</dt><dd><code>${digest}</code></dd>
<dt>rules</dt><dd><a href="../rules/2/etag-blocks/">2/etag-blocks</a> <a href="../rules/2/etag-large/">2/etag-large</a> <a href="../rules/2/etag-layout/">2/etag-layout</a></dd></dl>`;
}
