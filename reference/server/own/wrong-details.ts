/**
 * What a wrong signature opens to: cause, string to sign, signatures.
 *
 * @module
 */
import type { WrongJudgement } from '../authentication/signature-error.ts';
import type { Exchange } from '../exchange.ts';
import type { Cause, Diagnosis, SignedLine } from '../judgement.ts';
import { type Html, html, seen } from './html.ts';

export function wrongDetails({ message, diagnosis }: WrongJudgement, { id }: Exchange): Html {
  return html`<div class="more">
${diagnosis ? diagnosed(diagnosis, message) : html`<p>${seen(message)}</p>`}
<p class="quiet">request <code>${id}</code></p>
</div>`;
}

function diagnosed(diagnosis: Diagnosis, message: string): Html {
  if (diagnosis.lines.length === 0) return causesOf(diagnosis, message);
  return html`${causesOf(diagnosis, message)}
<h2>String to sign</h2>
${linesOf(diagnosis.lines)}
<h2>Signature</h2>
${signaturesOf(diagnosis)}`;
}

function causesOf({ causes, tried, note }: Diagnosis, message: string): Html {
  const [first] = causes;
  const remark = note === undefined ? html`` : html`<p class="quiet">${seen(note)}</p>`;
  if (!first) {
    const search =
      tried === 0 ? '' : html`<p>No known mistake explains it; ${tried} were tried.</p>`;
    return html`<p>${seen(message)}</p>${search}${remark}`;
  }
  const heading =
    causes.length === 1
      ? html`<h2>Cause</h2>`
      : html`<h2>One of ${causes.length} causes, which this request does not tell apart</h2>`;
  return html`${heading}${causes.map((together) => html`<div class="cause">${together.map(causeOf)}</div>`)}${remark}`;
}

function causeOf({ id, rule, cause, fix }: Cause): Html {
  return html`<p><b>${seen(cause)}</b></p>
<p>Fix: ${seen(fix)}</p>
<p class="quiet">rule <code>${rule}</code>${id === undefined ? '' : html`, mistake <code>${id}</code>`}</p>`;
}

function linesOf(lines: readonly SignedLine[]): Html {
  const rows = lines.map(
    ({ name, text, origin }, i) =>
      html`<tr><td class="number">${i + 1}</td><td class="name">${seen(name)}</td><td class="text">${seen(text)}</td><td class="origin">${seen(origin)}</td></tr>
`,
  );
  return html`<table><thead><tr><th></th><th>what</th><th>text</th><th>from</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function signaturesOf({ expected, received }: Diagnosis): Html {
  const right =
    expected === undefined
      ? html`<span class="quiet">only shown of development keys</span>`
      : html`<code>${seen(expected)}</code>`;
  return html`<dl><dt>expected</dt><dd>${right}</dd><dt>received</dt><dd><code>${seen(received)}</code></dd></dl>`;
}
