/**
 * The script of the playground: on the page, it renders and handles events; in a worker, it runs jobs.
 *
 * @module
 */

import { createHider } from '../../harness/engine/explain/secrecy.ts';
import { type Html, html } from '../../reference/server/pages/html.ts';
import { errorMessage, parseJson } from '../../reference/values.ts';
import { DATA_ID, isPlaygroundData, type PlaygroundData } from './data.ts';
import { type Control, find, findControl, findForm, isControl } from './elements.ts';
import { ETAG_PART, serveEtag } from './etag.ts';
import { EXAMPLE_KEYS, findExample } from './examples.ts';
import { findField } from './fields.ts';
import { MEMBER, renderForm } from './form.ts';
import type { Job, Report } from './jobs.ts';
import { createRunner, type Runner, serveJobs } from './runner.ts';
import { computeStages, renderStages, type Shown } from './stages.ts';
import { decodeState, encodeState, START, type State } from './state.ts';
import { findReceivable, findSubject, type Subject } from './subject.ts';
import { renderVerdict, toPageWords } from './verdict.ts';

const LAYOUT = html`<p class="note" id="refused" hidden>This browser starts no worker for a page that is opened as a file, so searches and files are computed on the page itself.</p>
<div class="play"><form id="form"></form>
<div><div id="verdict" role="status"></div><div id="stages"></div></div></div>
${ETAG_PART}`;

const WARNING =
  'These are not test keys of this project. Nothing leaves this page, and links never contain the private key. Still, use test keys if you can.';
const NO_KEY =
  'Enter the private key. Until then, the signatures below are computed with an empty key.';

/** How long the user must stop typing before the search for causes starts, in milliseconds. */
const PAUSE = 150;

class Playground {
  readonly #data: PlaygroundData;
  readonly #runner: Runner;
  readonly #form: HTMLFormElement;
  #state: State = START;
  #privateKey = EXAMPLE_KEYS.privateKey;
  #before: Shown | undefined;
  #timer = 0;

  constructor(data: PlaygroundData, runner: Runner) {
    this.#data = data;
    this.#runner = runner;
    this.#form = findForm('form');
    this.#form.addEventListener('input', ({ target }) => {
      if (isControl(target)) this.#take(target);
    });
    this.#form.addEventListener('submit', (event) => event.preventDefault());
    this.#form.addEventListener('click', ({ target }) => {
      if (target instanceof HTMLButtonElement) void this.#press(target);
    });
    addEventListener('hashchange', () => this.restore());
    this.restore();
  }

  /** Shows the request in the address, or the example. */
  restore(): void {
    const shared = decodeState(location.hash);
    if (!shared && location.hash.length > 1 && this.#form.childElementCount > 0) return;
    this.#state = shared ?? START;
    this.#privateKey = this.#findTestKey(this.#state.publicKey) ?? '';
    this.#draw();
  }

  #draw(): void {
    this.#before = undefined;
    fill(this.#form, renderForm(this.#state, this.#privateKey));
    this.#refresh();
  }

  #findTestKey(publicKey: string): string | undefined {
    return this.#data.testKeys.find((keys) => keys.publicKey === publicKey)?.privateKey;
  }

  // --- Events of the user

  #take({ name, value }: Control): void {
    if (name.startsWith(MEMBER)) this.#takeMember(name.slice(MEMBER.length), value);
    else if (name === 'privateKey') this.#privateKey = value;
    else if (name === 'operation') {
      const input = findExample(value);
      this.#state = { ...this.#state, operation: value, input, received: '' };
    } else this.#state = { ...this.#state, [name]: value };
    if (name === 'publicKey') this.#takePublicKey(value);
    if (name === 'operation' || name === 'mode') {
      this.#draw();
      const chosen = `[name=${name}]${name === 'mode' ? ':checked' : ''}`;
      const control = this.#form.querySelector(chosen);
      if (isControl(control)) control.focus();
    } else this.#refresh();
  }

  #takeMember(member: string, text: string): void {
    const control = findControl(this.#form, MEMBER + member);
    const field = findField(member);
    const hint = find(`${MEMBER}${member}-hint`);
    try {
      const input = { ...this.#state.input, [member]: field.read(text) };
      this.#state = { ...this.#state, input };
      hint.textContent = field.hint ?? '';
      control.removeAttribute('aria-invalid');
    } catch (error) {
      hint.textContent = errorMessage(error);
      control.setAttribute('aria-invalid', 'true');
    }
  }

  /** Fills in the private key of a public test key. */
  #takePublicKey(publicKey: string): void {
    const privateKey = this.#findTestKey(publicKey);
    if (privateKey === undefined) return;
    this.#privateKey = privateKey;
    findControl(this.#form, 'privateKey').value = privateKey;
  }

  async #press({ name }: HTMLButtonElement): Promise<void> {
    if (name === 'reset') {
      history.replaceState(null, '', location.pathname);
      this.restore();
    }
    if (name !== 'link') return;
    history.replaceState(null, '', encodeState(this.#state, this.#privateKey));
    const copied = navigator.clipboard?.writeText(location.href).then(() => true);
    const isCopied = await copied?.catch(() => false);
    find('copied').textContent = isCopied
      ? 'link copied, without the private key'
      : 'copy the address of this page; it does not contain the private key';
  }

  // --- The contents of the page

  #refresh(): void {
    this.#warn();
    this.#runner.cancel();
    clearTimeout(this.#timer);
    const { publicKey } = this.#state;
    const keys = { publicKey, privateKey: this.#privateKey };
    const hide = this.#isTestKey() ? (text: string) => text : createHider(keys.privateKey).text;
    try {
      const subject = findSubject(this.#state, hide);
      const shown = computeStages(subject, keys, hide);
      fill(find('stages'), renderStages(subject.operation, shown, this.#before, this.#data));
      this.#before = shown;
      this.#explain(subject, hide);
    } catch (error) {
      const message = hide(toPageWords(errorMessage(error)));
      const isEmpty = this.#state.mode === 'paste' && this.#state.capture.trim() === '';
      fill(find('stages'), html``);
      find('verdict').removeAttribute('aria-busy');
      fill(find('verdict'), isEmpty ? html`` : html`<p class="said wrong">${message}</p>`);
    }
  }

  #isTestKey(): boolean {
    const { publicKey } = this.#state;
    if (publicKey === '' && this.#privateKey === '') return true;
    return this.#data.testKeys.some(
      (keys) => keys.publicKey === publicKey && keys.privateKey === this.#privateKey,
    );
  }

  #warn(): void {
    const isMissing = this.#privateKey === '' && this.#state.publicKey !== '';
    const isTest = this.#isTestKey();
    find('warning').textContent = isMissing ? NO_KEY : isTest ? '' : WARNING;
    const control = findControl(this.#form, 'privateKey');
    control.setAttribute('type', isTest ? 'text' : 'password');
  }

  #explain(subject: Subject, hide: (text: string) => string): void {
    const place = find('verdict');
    const job = this.#createJob(subject);
    if (!job) {
      place.removeAttribute('aria-busy');
      fill(place, renderInvitation(subject.operation));
      return;
    }
    place.setAttribute('aria-busy', 'true');
    this.#timer = window.setTimeout(() => {
      this.#runner.start(job, (report) => showReport(report, hide));
    }, PAUSE);
  }

  /** The search for the causes; undefined if there is nothing to explain. */
  #createJob({ signed, value, operation, input, dialect }: Subject): Job | undefined {
    const { rules } = this.#data;
    const { publicKey } = this.#state;
    const keys = { publicKey, privateKey: this.#privateKey };
    if (value !== undefined)
      return {
        kind: 'value',
        given: { question: { operation, input, keys }, dialect, value },
        rules,
      };
    const now = Math.floor(Date.now() / 1000);
    return signed && { kind: 'explain', signed, options: { keys, now, rules } };
  }
}

function renderInvitation(operation: string): Html {
  const receivable = findReceivable(operation);
  if (receivable === undefined) return html``;
  return html`<p class="quiet">Enter the ${receivable} that you got to see why it differs.</p>`;
}

function showReport(report: Report, hide: (text: string) => string): void {
  const place = find('verdict');
  if (report.kind === 'progress') {
    const bar = place.querySelector('progress');
    if (bar) bar.value = report.done;
    else fill(place, renderSearch(report.done, report.of));
    return;
  }
  place.removeAttribute('aria-busy');
  if (report.kind === 'explained') {
    const verdict = report.explained.verdict.map((line) => ({ ...line, text: hide(line.text) }));
    fill(place, renderVerdict({ ...report.explained, verdict }));
  }
  if (report.kind === 'failed')
    fill(place, html`<p class="said wrong">${hide(report.message)}</p>`);
}

const renderSearch = (done: number, of: number): Html =>
  html`<p class="said"><label>Trying known mistakes and their combinations <progress max="${of}" value="${done}"></progress></label></p>`;

function fill(place: HTMLElement, content: Html): void {
  place.innerHTML = content.html;
}

function start(): void {
  fill(find('playground'), LAYOUT);
  const data = parseJson(find(DATA_ID).textContent ?? '');
  if (!isPlaygroundData(data)) throw new Error('the data of the page is damaged');
  const onRefusal = (): void => find('refused').removeAttribute('hidden');
  serveEtag(createRunner(onRefusal));
  new Playground(data, createRunner(onRefusal));
}

if (globalThis.document === undefined) serveJobs();
else start();
