/**
 * The form for a request of any operation, generated from the table of operations.
 *
 * @module
 */
import { OPERATIONS } from '../../reference/operations.ts';
import { type Html, html } from '../../reference/server/pages/html.ts';
import { EXAMPLES } from './examples.ts';
import { type Field, findField } from './fields.ts';
import type { State } from './state.ts';
import { findReceivable } from './subject.ts';

const MODES: readonly (readonly [mode: State['mode'], label: string])[] = [
  ['build', 'Build a request'],
  ['paste', 'Paste a request'],
];

/** The prefix of the names of fields for members. */
export const MEMBER = 'input.';

const PASTE: Field = {
  ...findField('text'),
  label: 'HTTP text, output of curl -v, or URL',
  lines: 12,
};

export function renderForm(state: State, privateKey: string): Html {
  const modes = MODES.map(
    ([mode, label]) =>
      html`<label><input type="radio" name="mode" value="${mode}"${check(state.mode === mode, 'checked')}> ${label}</label>`,
  );
  return html`<div class="modes" role="radiogroup" aria-label="How to enter the request">${modes}</div>
${state.mode === 'build' ? renderBuild(state) : renderPaste(state)}
${renderKeys(state, privateKey)}
<p class="buttons"><button type="button" name="link">Copy link</button> <button type="button" name="reset">Start again</button> <span role="status" id="copied"></span></p>`;
}

const check = (isSet: boolean, word: string): Html => (isSet ? { html: ` ${word}` } : html``);

function renderBuild({ operation, input, received }: State): Html {
  const options = Object.keys(EXAMPLES).map(
    (name) => html`<option${check(name === operation, 'selected')}>${name}</option>`,
  );
  const members = OPERATIONS[operation]?.input ?? [];
  const values = new Map<string, unknown>(Object.entries(input));
  const receivable = findReceivable(operation);
  return html`<label class="field"><span>Operation</span><select name="operation">${options}</select></label>
${members.map((name) => {
  const field = findField(name);
  return renderField(MEMBER + name, field, field.show(values.get(name) ?? ''));
})}
${receivable === undefined ? '' : renderReceived(received, receivable)}`;
}

function renderPaste({ capture, bucket, fileHost, received }: State): Html {
  return html`${renderField('capture', PASTE, capture)}
${renderField('bucket', { ...findField('bucket'), hint: 'only if the host does not name it' }, bucket)}
${renderField('fileHost', { ...findField('fileHost'), hint: 'only if a bucket contains a dot' }, fileHost)}
${renderReceived(received, 'signature', 'only if it differs from the one in the request')}`;
}

type Receivable = NonNullable<ReturnType<typeof findReceivable>>;

const RECEIVED: Readonly<Record<Receivable, Pick<Field, 'label' | 'hint'>>> = {
  signature: {
    label: 'Signature that you got',
    hint: 'alone, or the header, URL, query or body with it',
  },
  value: { label: 'Value that you got', hint: 'what your code gives for this input' },
};

function renderReceived(received: string, receivable: Receivable, hint?: string): Html {
  const own = RECEIVED[receivable];
  const field = { ...findField('text'), ...own, lines: 2, ...(hint !== undefined && { hint }) };
  return renderField('received', field, received);
}

function renderKeys({ publicKey, dialect }: State, privateKey: string): Html {
  const line = { ...findField('line'), lines: 1 };
  const hint = 'svc (the default) or ucloud, or scheme,header-prefix,public-key-parameter';
  return html`${renderField('publicKey', { ...line, label: 'Public key' }, publicKey)}
${renderField('privateKey', { ...line, label: 'Private key' }, privateKey)}
<p class="warning" id="warning" role="status"></p>
${renderField('dialect', { ...line, label: 'Dialect', hint }, dialect)}`;
}

/** A field with its label, its hint and an element for its message. */
function renderField(name: string, { label, hint, lines }: Field, text: string): Html {
  const described = `${name}-hint`;
  const attributes = html` name="${name}" aria-describedby="${described}" autocomplete="off" autocapitalize="off" spellcheck="false"`;
  // A line feed after the tag would be dropped if the text starts with one.
  const control =
    lines === 1
      ? html`<input${attributes} value="${text}">`
      : html`<textarea${attributes} rows="${lines}">\n${text}</textarea>`;
  return html`<div class="field"><label><span>${label}</span>${control}</label><small id="${described}">${hint ?? ''}</small></div>`;
}
