/**
 * The report as one HTML file, which needs no network and is readable without scripts. A script adds the filters.
 *
 * @module
 */
import { describeCertainty } from '../engine/diagnosis/certainty.ts';
import type { FoundCause } from '../engine/diagnosis/diagnose.ts';
import type { ForgedOutcome } from '../engine/judge/forgery.ts';
import type { Outcome } from '../engine/judge/outcome.ts';
import { isFailure, isForgedFailure } from '../engine/judge/summary.ts';
import type { Header, NotRun, Report } from '../engine/report/report.ts';
import { maskKeys } from './cases.ts';
import { causePlace } from './cause-place.ts';
import { causesHeading } from './causes.ts';
import { listCounts } from './counts.ts';
import { differenceLines } from './difference-lines.ts';
import { harmless, harmlessLines } from './harmless.ts';
import { createReporter, type Reporter, verdictSentence } from './reporter.ts';
import { type CauseSentence, causeSentences, freshSentence, joinCauses } from './sentences.ts';
import { plainTerminal, toLines } from './terminal.ts';
import { implementationName } from './terminal-report.ts';
import { REFERENCES } from './xml.ts';

/** The verdict comes first, so everything is written at the end. */
export function html(): Reporter {
  return createReporter((results) => {
    const { header, reports, ending } = results;
    const rows = reports.map((report) => ('notRun' in report ? [] : rowsOf(report)));
    const sections = reports.map((report, i) =>
      'notRun' in report ? notRunSection(report) : section(report, rows[i] ?? []),
    );
    const title = header ? titleOf(header) : 'svc-conformance';
    const look = ending.exitCode === 0 ? 'pass' : 'failed';
    const sentence = escapeHtml(verdictSentence(results));
    const verdict = tag('p', { class: `verdict ${look}` }, sentence);
    return page(title, [verdict, filters(rows.flat()), ...sections]);
  });
}

function titleOf({ suite, vectors, seed }: Header): string {
  const fresh = seed === undefined ? '' : `, fresh data, seed ${seed}`;
  return `svc-conformance ${suite.version}: ${vectors.length} vectors${fresh}`;
}

function notRunSection({ subject, notRun }: NotRun): string {
  return tag('section', {}, [
    tag('h2', {}, escapeHtml(subject.name)),
    tag('p', {}, escapeHtml(`not run, because ${notRun}`)),
  ]);
}

/** A vector, a forged request or a question on fresh data in the table. */
interface Row {
  readonly name: string;
  readonly operation: string;
  readonly level: string;
  readonly rules: readonly string[];
  readonly status: string;
  readonly isFailure: boolean;
  /** Sentences of our own text and of text from adapters. */
  readonly sentences: readonly string[];
  /** Lines whose columns are aligned. */
  readonly difference: readonly string[];
}

function rowsOf(report: Report): readonly Row[] {
  const { outcomes, fresh, forged } = report;
  const causes = causeSentences(report);
  return [
    ...outcomes.map((outcome) => outcomeRow(maskKeys(outcome), outcome.vector.level, causes)),
    ...(fresh?.outcomes ?? []).map((outcome) => outcomeRow(maskKeys(outcome), 'fresh', causes)),
    ...forged.map((outcome) => forgedRow(outcome, report)),
  ];
}

function outcomeRow(
  outcome: Outcome,
  level: string,
  causes: ReadonlyMap<string, CauseSentence>,
): Row {
  const { vector, verdict, known, unexpectedFailure } = outcome;
  const { message, met, difference } = verdict;
  const cause = isFailure(outcome) ? causes.get(vector.id)?.sentence : undefined;
  return {
    name: vector.id,
    operation: vector.operation,
    level,
    rules: vector.rules,
    status: known ? 'known failure' : verdict.status,
    isFailure: isFailure(outcome),
    sentences: toLines(
      cause,
      known && `known failure: ${known.reason}`,
      unexpectedFailure,
      met !== undefined && `answered as: ${met}`,
      message,
      isFailure(outcome) && `why: ${vector.why}`,
    ),
    difference: difference ? differenceLines(difference, plainTerminal(), '') : [],
  };
}

function forgedRow(outcome: ForgedOutcome, report: Report): Row {
  const { forgery, verdict, known } = outcome;
  const names: Readonly<Record<string, string>> = { pass: 'refused', fail: 'accepted' };
  return {
    name: `${forgery.vector} signed with ${forgery.mistakes.join(', ')}`,
    operation: forgery.operation,
    level: 'forged',
    rules: [],
    status: known ? 'known failure' : (names[verdict.status] ?? verdict.status),
    isFailure: isForgedFailure(outcome),
    sentences: toLines(joinCauses(outcome.causes ?? [], report).sentence, verdict.message),
    difference: [],
  };
}

function section(report: Report, rows: readonly Row[]): string {
  const { neverWorked, internalError, stopReason, unasked, notes, stale, details } = report;
  const sentences = toLines(
    neverWorked !== undefined && `nothing was judged: ${neverWorked}`,
    internalError,
    stopReason !== undefined && `the run stopped early: ${stopReason}`,
    unasked,
    notes,
    details?.blind.map(({ sentence }) => sentence),
    freshSentence(report),
    stale.map(({ problem }) => `stale expectation: ${problem}`),
  );
  const parts = toLines(
    tag('h2', {}, escapeHtml(implementationName(report))),
    sentences.map((sentence) => tag('p', { class: 'note' }, escapeHtml(sentence))),
    neverWorked === undefined && countsTable(report),
    causeList(report),
    rows.length > 0 && rowTable(rows),
  );
  return tag('section', {}, parts);
}

function countsTable(report: Report): string {
  const rows = listCounts(report).map(({ name, counts }) => {
    const text = escapeHtml(counts.map((count) => count.text).join(' · '));
    return tag('tr', {}, [tag('th', { scope: 'row' }, name), tag('td', {}, text)]);
  });
  return tag('table', { class: 'counts' }, [tag('tbody', {}, rows)]);
}

function causeList(report: Report): readonly string[] {
  const { causes, unexplained, header } = report;
  if (causes.length + unexplained.length === 0) return [];
  const rest = `${unexplained.length} failures that no known mistake explains`;
  const items = toLines(
    causes.map((cause) => causeItem(cause, header)),
    unexplained.length > 0 && tag('li', {}, rest),
  );
  const heading = tag('h3', {}, escapeHtml(causesHeading(report)));
  return [heading, tag('ul', { class: 'causes' }, items)];
}

function causeItem(cause: FoundCause, { suite }: Header): string {
  const { mistake, explains } = cause;
  const text = `${describeCertainty(cause)}: ${mistake.wrong}. Fix: ${mistake.fix} (rule ${mistake.rule}). It explains ${explains.length} of the failures.`;
  const page = causePlace(mistake.id, suite);
  const name = escapeHtml(mistake.id);
  return tag('li', {}, [
    tag('strong', {}, suite.site === undefined ? name : tag('a', { href: page }, name)),
    escapeHtml(text),
    ...(suite.site === undefined ? [` ${tag('code', {}, escapeHtml(page))}`] : []),
  ]);
}

function rowTable(rows: readonly Row[]): string {
  const titles = ['status', 'vector', 'operation', 'level', 'rules'];
  const head = titles.map((title) => tag('th', { scope: 'col' }, title));
  // The failures come first.
  const ordered = rows.toSorted((a, b) => Number(b.isFailure) - Number(a.isFailure));
  return tag('table', { class: 'rows' }, [
    tag('thead', {}, [tag('tr', {}, head)]),
    tag('tbody', {}, ordered.map(tableRow)),
  ]);
}

function tableRow(row: Row): string {
  const { name, operation, level, rules, status, isFailure, sentences, difference } = row;
  const look = isFailure ? 'failed' : status === 'pass' || status === 'refused' ? 'pass' : 'other';
  const attributes = {
    'data-status': status,
    'data-operation': operation,
    'data-rules': rules.join(' '),
  };
  const texts = escapeHtml(difference.map(harmless).join('\n'));
  const cell = toLines(
    tag('code', {}, escapeHtml(name)),
    sentences.map((sentence) => tag('p', {}, escapeHtml(harmless(sentence)))),
    difference.length > 0 && tag('pre', { tabindex: '0' }, texts),
  );
  return tag('tr', attributes, [
    tag('td', { class: look }, escapeHtml(status)),
    tag('td', {}, cell),
    ...[operation, level, rules.join(' ')].map((text) => tag('td', {}, escapeHtml(text))),
  ]);
}

/** The filters, which are hidden until the script shows them, because they do not work without it. */
function filters(rows: readonly Row[]): string {
  const values = {
    status: rows.map(({ status }) => status),
    operation: rows.map(({ operation }) => operation),
    rule: rows.flatMap(({ rules }) => rules),
  };
  const selects = Object.entries(values).map(([name, all]) => {
    const options = ['', ...[...new Set(all)].sort()].map((value) =>
      tag('option', { value }, escapeHtml(value === '' ? 'all' : value)),
    );
    return tag('label', {}, [`${name} `, tag('select', { name }, options)]);
  });
  const shown = tag('output', { 'aria-live': 'polite' }, '');
  return tag('form', { id: 'filters', hidden: '' }, [...selects, shown]);
}

const SCRIPT = `
const form = document.getElementById('filters');
const rows = [...document.querySelectorAll('tr[data-status]')];
const filter = () => {
  const wanted = new FormData(form);
  const fits = (name, values) => wanted.get(name) === '' || values.includes(wanted.get(name));
  for (const row of rows) {
    const { status, operation, rules } = row.dataset;
    row.hidden = !(fits('status', [status]) && fits('operation', [operation]) && fits('rule', rules.split(' ')));
  }
  form.querySelector('output').textContent = rows.filter((row) => !row.hidden).length + ' of ' + rows.length + ' shown';
};
form.addEventListener('change', filter);
form.hidden = false;
filter();
`;

const STYLE = `
:root { color-scheme: light dark; --line: #d0d0d0; --good: #1b6e20; --bad: #b00020; --soft: #f3f3f3; }
@media (prefers-color-scheme: dark) { :root { --line: #444; --good: #81c784; --bad: #ff8a80; --soft: #222; } }
body { background: Canvas; color: CanvasText; font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 80rem; padding: 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .5rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
pre { background: var(--soft); margin: .25rem 0; overflow-x: auto; padding: .5rem; }
td p { margin: .25rem 0; }
td :is(code, p, pre) { font-size: .875rem; }
form { background: Canvas; border-bottom: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: 1rem; padding: .5rem 0; position: sticky; top: 0; }
form[hidden], tr[hidden] { display: none; }
.counts { width: auto; }
.counts th { white-space: nowrap; }
.rows { table-layout: fixed; }
.rows th:nth-child(1) { width: 7.5rem; }
.rows th:nth-child(3) { width: 9rem; }
.rows th:nth-child(4) { width: 5.5rem; }
.rows th:nth-child(5) { width: 12rem; }
@media (max-width: 56rem) {
  form { gap: .25rem 1rem; position: static; }
  .rows thead { display: none; }
  .rows :is(tbody, tr, td) { display: block; }
  .rows tr { border-bottom: 1px solid var(--line); padding: .25rem 0; }
  .rows tr[hidden] { display: none; }
  .rows td { border: 0; padding: 0; }
  .rows td:nth-child(n + 3) { display: inline; font-size: .875rem; padding-right: .5rem; }
}
.verdict { font-size: 1.25rem; font-weight: bold; }
.pass { color: var(--good); }
.failed { color: var(--bad); font-weight: bold; }
`;

/** The page loads nothing and sends nothing. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'";

function page(title: string, parts: readonly string[]): string {
  const head = tag('head', {}, [
    '<meta charset="utf-8">\n',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
    tag('title', {}, escapeHtml(title)),
    `<style>${STYLE}</style>\n`,
  ]);
  const body = tag('body', {}, [
    tag('main', {}, [tag('h1', {}, escapeHtml(title)), ...parts]),
    `<script>${SCRIPT}</script>\n`,
  ]);
  return `<!DOCTYPE html>\n${tag('html', { lang: 'en' }, [head, body])}`;
}

/** Elements after which a line break would show as a space. */
const INLINE = ['strong', 'code', 'option', 'a'];

/** An element; `inside` is already HTML. */
function tag(
  name: string,
  attributes: Readonly<Record<string, string>>,
  inside: string | readonly string[],
): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeHtml(value)}"`);
  const end = INLINE.includes(name) ? '' : '\n';
  return `<${name}${pairs.join('')}>${[inside].flat().join('')}</${name}>${end}`;
}

/** Text that HTML shows as it is. */
function escapeHtml(text: string): string {
  return harmlessLines(text).replace(/[&<>"']/g, (character) => REFERENCES[character] ?? character);
}
