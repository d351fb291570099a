/**
 * A page for each vector, and one for each operation.
 *
 * @module
 */
import { formatCount } from '../../harness/engine/excerpt.ts';
import type { Stages, Vector } from '../../harness/engine/vector.ts';
import { OPERATIONS } from '../../reference/operations.ts';
import { type Html, html, joinHtml } from '../../reference/server/pages/html.ts';
import type { SiteData } from './data.ts';
import { codeBlock } from './highlight.ts';
import type { Page } from './page.ts';
import { levelMark, mistakeList, ruleList } from './parts.ts';
import { listCopies, requestText, toRequest } from './requests.ts';
import { inputText, sentence, showChange, showRequest, showStage, stageText } from './text.ts';

/** Mistakes that more vectors than this catch are only counted on the pages of vectors. */
const FEW = 8;

export function vectorPage(vector: Vector, data: SiteData): Page {
  const { id, why } = vector;
  const caught = data.caughtBy(id);
  return {
    path: `/vectors/${id}/`,
    title: claimOf(id),
    summary: why,
    kind: 'vector',
    json: { ...vector, catches: caught },
    body: html`${header(vector)}
<p class="lead">${why}</p>
${ruleList(vector.rules, data)}
${renderInput(vector)}
${renderAnswer(vector)}
${renderCatches(caught, data)}
${renderCopies(vector)}
`,
  };
}

/** The claim of a vector: the last part of its id, as a sentence. */
export function claimOf(id: string): string {
  return sentence(id.slice(id.lastIndexOf('/') + 1).replaceAll('-', ' '));
}

/** The topic of a vector: the second part of its id. */
const topicOf = (id: string): string => id.split('/')[1] ?? '';

const listTopics = (vectors: readonly Vector[]): readonly string[] => [
  ...new Set(vectors.map(({ id }) => topicOf(id))),
];

function header({ id, operation, level }: Vector): Html {
  const topic = topicOf(id);
  return html`<p class="trail"><a href="/vectors/">Vectors</a> / <a href="/operations/${operation}/">${operation}</a> / <a href="/operations/${operation}/#${topic}">${topic}</a></p>
<h1>${claimOf(id)}</h1>
<p class="id"><code>${id}</code> ${levelMark(level)}</p>`;
}

function renderInput(vector: Vector): Html {
  const { keys, control } = vector;
  if (control) {
    return html`<h2>The request that must be refused, beside its control</h2>
${renderRefused(vector)}
${keyTable(keys)}`;
  }
  const [noun, text] = questionText(vector);
  return html`<h2>The ${noun}</h2>
<pre tabindex="0">${showRequest(text)}</pre>
${keyTable(keys)}`;
}

/** The request of a vector as text, or the input of an operation without requests. */
export function questionText({
  operation,
  input,
  expect = {},
}: Vector): readonly [noun: 'request' | 'input', text: string] {
  const request = toRequest(operation, input, expect);
  return request ? ['request', requestText(request)] : ['input', inputText(input)];
}

/** The request of a vector that must be refused, beside its control, with marks on what differs. */
export function renderRefused(vector: Vector): Html {
  const { operation, input, control } = vector;
  const request = toRequest(operation, input, {});
  const right = control && toRequest(operation, { ...input, ...control.input }, control.expect);
  const [own, other] =
    request && right ? [requestText(request), requestText(right)] : inputs(vector);
  return html`<div class="pair">
<figure class="wrong"><figcaption>refused</figcaption><pre tabindex="0">${showChange(own, other, showRequest)}</pre></figure>
<figure class="right"><figcaption>control: answered</figcaption><pre tabindex="0">${showChange(other, own, showRequest)}</pre></figure>
</div>`;
}

/** The inputs of a vector and of its control as texts. */
function inputs({ input, control }: Vector): readonly [string, string] {
  return [inputText(input), inputText({ ...input, ...control?.input })];
}

function keyTable({ publicKey, privateKey }: Vector['keys']): Html {
  if (publicKey === '' && privateKey === '') return html``;
  return html`<dl class="facts"><dt>public key</dt><dd><code>${publicKey}</code></dd><dt>private key</dt><dd><code>${privateKey}</code></dd></dl>`;
}

function renderAnswer(vector: Vector): Html {
  const { operation, expect, refuse, control, accept } = vector;
  if (expect) return html`<h2>The answer, stage by stage</h2>${stageList(operation, expect)}`;
  if (refuse) {
    const exact = refuse.exact ? ', with exactly this reason' : '; any reason passes';
    const controls = control
      ? html`<h2>The answer to the control, stage by stage</h2>${stageList(operation, control.expect)}`
      : html``;
    return html`<p>The answer must be a refusal: <code>${refuse.reason}</code>${exact}.</p>${controls}`;
  }
  const answers = Object.entries(accept ?? {}).map(
    ([name, answer]) =>
      html`<h3>${name}</h3><p>${answer.because}</p>${
        answer.expect
          ? stageList(operation, answer.expect)
          : html`<p>Refused: <code>${answer.refuse?.reason}</code>.</p>`
      }`,
  );
  return html`<h2>The known answers</h2><p>The specification does not decide this question. Reports name the answer and never fail on it.</p>${answers}`;
}

/** The stages of an answer in order, with visible bytes. */
function stageList(operation: string, stages: Stages): Html {
  const rows = (OPERATIONS[operation]?.stages ?? [])
    .filter((name) => stages[name] !== undefined)
    .map(
      (name) =>
        html`<dt>${name}</dt><dd><pre tabindex="0">${showStage(name)(stageText(stages[name]))}</pre></dd>`,
    );
  return html`<dl class="stages" data-pagefind-ignore>${rows}</dl>`;
}

function renderCatches(caught: readonly string[], data: SiteData): Html {
  if (caught.length === 0) return html``;
  const only = caught.filter((id) => data.catchers(id).length === 1);
  const few = caught.filter((id) => !only.includes(id) && data.catchers(id).length <= FEW);
  const rest = caught.length - only.length - few.length;
  return html`<h2>Mistakes that this vector catches</h2>${
    only.length === 0 ? '' : html`<h3>Only this vector catches</h3>${mistakeList(only, data)}`
  }${few.length === 0 ? '' : html`<h3>Few other vectors also catch</h3>${mistakeList(few, data)}`}${
    rest === 0
      ? ''
      : html`<p>${formatCount(rest, 'mistake')} that more than ${FEW} vectors catch ${rest === 1 ? 'is' : 'are'} in the data of this page.</p>`
  }`;
}

function renderCopies(vector: Vector): Html {
  const copies = listCopies(vector).map(
    ([name, language, text]) =>
      html`<details><summary>${name}</summary>${codeBlock(language, text)}</details>`,
  );
  return html`<h2>Copy it</h2><div class="copies" data-pagefind-ignore>${copies}</div>`;
}

/** An operation with its vectors by topic. */
export function operationPage(name: string, data: SiteData): Page {
  const vectors = data.suite.vectors.filter(({ operation }) => operation === name);
  const topics = listTopics(vectors);
  const { section, input = [], stages = [] } = OPERATIONS[name] ?? {};
  const sdks = data.sdks.filter(({ operations }) => operations.includes(name));
  return {
    path: `/operations/${name}/`,
    title: name,
    summary: `The operation ${name}: its input, its stages and its ${vectors.length} vectors.`,
    kind: 'operation',
    json: { name, section, input, stages, vectors: vectors.map(({ id }) => id) },
    body: html`<p class="trail"><a href="/vectors/">Vectors</a></p>
<h1><code>${name}</code></h1>
<dl class="facts"><dt>section</dt><dd>${section === undefined ? 'none: the specification only mentions it' : html`<a href="/spec/#s${section}">§${section}</a>`}</dd>
<dt>input</dt><dd>${codes(input)}</dd><dt>stages</dt><dd>${codes(stages)}</dd>
<dt>SDKs</dt><dd>${
      sdks.length === 0
        ? 'no judged SDK supports it'
        : joinHtml(
            sdks.map((sdk) => html`<a href="/sdks/${sdk.name}/">${sdk.name}</a>`),
            ', ',
          )
    }</dd></dl>
${topics.map((topic) => topicList(topic, vectors))}`,
  };
}

const codes = (names: readonly string[]): Html =>
  joinHtml(
    names.map((name) => html`<code>${name}</code>`),
    ' ',
  );

function topicList(topic: string, vectors: readonly Vector[]): Html {
  const rows = vectors
    .filter(({ id }) => topicOf(id) === topic)
    .map(
      ({ id, level, refuse }) =>
        html`<li>${levelMark(level)} <a href="/vectors/${id}/">${claimOf(id)}</a>${refuse ? html` <span class="quiet">a refusal</span>` : ''}</li>\n`,
    );
  return html`<h2 id="${topic}">${topic.replaceAll('-', ' ')}</h2><ul class="list">${rows}</ul>`;
}

/** All operations with their topics. */
export function vectorsPage(data: SiteData): Page {
  const rows = Object.keys(OPERATIONS).map((name) => {
    const own = data.suite.vectors.filter(({ operation }) => operation === name);
    const topics = listTopics(own).map(
      (topic) => html`<a href="/operations/${name}/#${topic}">${topic.replaceAll('-', ' ')}</a>`,
    );
    return html`<tr><th scope="row"><a href="/operations/${name}/">${name}</a></th><td class="number">${own.length}</td><td>${joinHtml(topics, ', ')}</td></tr>\n`;
  });
  return {
    path: '/vectors/',
    title: 'Vectors',
    summary: `All ${data.suite.vectors.length} vectors, by operation and topic.`,
    kind: 'list',
    json: data.suite.vectors.map(({ id, level, rules }) => ({ id, level, rules })),
    body: html`<h1>Vectors</h1>
<p class="lead">A vector is one question with its expected answer, its rules and the reason it exists. There are ${data.suite.vectors.length}.</p>
<table><thead><tr><th scope="col">operation</th><th scope="col">vectors</th><th scope="col">topics</th></tr></thead><tbody>${rows}</tbody></table>`,
  };
}
