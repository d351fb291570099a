/**
 * A summary in Markdown, which CI services show next to a run.
 *
 * Text from adapters appears only in code blocks, where it cannot act as markup.
 *
 * @module
 */
import { describeCertaintyInSentence } from '../engine/diagnosis/certainty.ts';
import { escapeInvisible, formatCount, formatList } from '../engine/excerpt.ts';
import { type Outcome, unexplainedPhrase } from '../engine/judge/outcome.ts';
import { sortTelling } from '../engine/report/example.ts';
import {
  type Header,
  type Report,
  type SubjectKind,
  subjectKind,
} from '../engine/report/report.ts';
import { causePlace } from './cause-place.ts';
import { causesHeading } from './causes.ts';
import { listCounts } from './counts.ts';
import { differenceLines } from './difference-lines.ts';
import { harmless } from './harmless.ts';
import { createReporter, kindOf, type Reporter, verdictSentence } from './reporter.ts';
import { freshSentence, furtherSentences, sharedSentence } from './sentences.ts';
import { INDENT, plainTerminal, toBlocks, toLines } from './terminal.ts';
import { implementationName } from './terminal-report.ts';

/** Further failures, and further ids of a cause, are only counted. */
const SHOWN_FAILURES = 10;
const SHOWN_IDS = 3;

const NEVER_WORKED: Readonly<Record<SubjectKind, string>> = {
  adapter: 'The adapter never worked:',
  server: 'The server never worked:',
  client: 'No request could be judged:',
};

/** The verdict comes first, so everything is written at the end. */
export function markdown(): Reporter {
  return createReporter((results) => {
    const { header, reports } = results;
    const kind = kindOf(header);
    const title = header ? titleOf(header) : '## svc-conformance did not judge anything';
    const sections = reports.map((report) =>
      'notRun' in report
        ? `### ${inline(report.subject.name)}\n\nnot run, because ${inline(report.notRun)}`
        : section(report, kind),
    );
    return toBlocks([title, `**${verdictSentence(results)}**`, ...sections]);
  });
}

function titleOf(header: Header): string {
  const { suite, vectors, seed } = header;
  const start = `## svc-conformance ${suite.version}: ${vectors.length}`;
  if (subjectKind(header) === 'client') return `${start} requests`;
  const fresh = seed === undefined ? '' : `, fresh data, seed ${seed}`;
  return `${start} of ${suite.vectors.length} vectors${fresh}`;
}

function section(report: Report, kind: SubjectKind): string {
  const { neverWorked, stopReason, stale, notes, unasked, internalError } = report;
  const sentence = freshSentence(report);
  return toLines(
    `### ${inline(implementationName(report))}`,
    neverWorked === undefined ? countsTable(report, kind) : titled(NEVER_WORKED[kind], neverWorked),
    list(notes.map(plain)),
    internalError !== undefined && titled('The harness failed:', internalError),
    stopReason !== undefined && titled('The run stopped early:', stopReason),
    titled('Some questions were not asked:', ...unasked),
    sentence !== undefined && list([plain(sentence)]),
    causeLines(report),
    sharedLines(report),
    titled('Stale expectations:', ...stale.map(({ problem }) => problem)),
    failures(report),
  ).join('\n\n');
}

/** A sentence and the text of an adapter; empty without text. */
function titled(title: string, ...lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, block(lines)];
}

/** A list; empty without items. */
function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

function countsTable(report: Report, kind: SubjectKind): string {
  const { fresh } = report;
  const seed = fresh ? ` (seed ${fresh.seed})` : '';
  const rows = listCounts(report).map(({ name, counts }) => {
    const texts = counts.map(({ text }) => text).join(', ');
    return `| ${name}${name === 'fresh' ? seed : ''} | ${texts} |`;
  });
  return [`| level | ${kind === 'client' ? 'requests' : 'vectors'} |`, '|---|---|', ...rows].join(
    '\n',
  );
}

function causeLines(report: Report): readonly string[] {
  const { causes, unexplained, header } = report;
  const lines = causes.map((cause) => {
    const { mistake, explains } = cause;
    const further = furtherSentences(report, cause).map(plain);
    return `${causeName(mistake.id, header)}${describeCertaintyInSentence(cause)}: ${plain(mistake.wrong)}. Fix: ${plain(mistake.fix)} (rule ${mistake.rule}). ${[failureCount(explains), ...further].join('; ')}`;
  });
  const rest = `${unexplainedPhrase('**unexplained**')}. ${failureCount(unexplained)}`;
  const all = toLines(lines, unexplained.length > 0 && rest);
  return all.length === 0 ? [] : [`${causesHeading(report)}:`, list(all)];
}

/** The id of a cause, which links to its page or has the command that opens it beside it. */
function causeName(id: string, { suite }: Header): string {
  const page = causePlace(id, suite);
  return suite.site === undefined ? `**${id}** (\`${page}\`)` : `**[${id}](${page})**`;
}

function failureCount(ids: readonly string[]): string {
  const shown = ids.slice(0, SHOWN_IDS).map(inline).join(', ');
  const more = ids.length > SHOWN_IDS ? ', …' : '';
  return `${formatCount(ids.length, 'failure')}: ${shown}${more}`;
}

function sharedLines({ details }: Report): readonly string[] {
  const { blind = [], shared = [], unjudged = [] } = details ?? {};
  const sharedItems = shared.map((one) => plain(sharedSentence(one)));
  const unjudgedItems = unjudged.map(
    ({ operation, status, message, count }) =>
      `${formatCount(count, 'request')} to ${operation}: ${status}; ${plain(message)}`,
  );
  return toLines(
    list(blind.map(({ sentence }) => plain(sentence))),
    shared.length > 0 && ['Forged requests that verifiers accept:', list(sharedItems)],
    unjudged.length > 0 && ['Forged requests without a verdict:', list(unjudgedItems)],
  );
}

function failures(report: Report): readonly string[] {
  const failed = [...sortTelling(report), ...report.freshFailures];
  if (failed.length === 0) return [];
  const shown = failed
    .slice(0, SHOWN_FAILURES)
    .flatMap((outcome) => [...failureLines(outcome, report), '']);
  const count = formatCount(failed.length, 'failure');
  const which =
    failed.length > SHOWN_FAILURES
      ? `${count}, ${SHOWN_FAILURES} of them, each cause first`
      : count;
  return [`<details><summary>${which}</summary>`, block(shown.slice(0, -1)), '</details>'];
}

function failureLines(
  { vector, verdict, unexpectedFailure }: Outcome,
  { causes }: Report,
): readonly string[] {
  const names = causes.filter(({ explains }) => explains.includes(vector.id));
  const cause = names.length > 0 && `cause: ${formatList(names.map(({ mistake }) => mistake.id))}`;
  return [
    `${verdict.status} ${vector.id}`,
    ...toLines(cause, unexpectedFailure, verdict.message).map((text) => INDENT + text),
    ...(verdict.difference ? differenceLines(verdict.difference, plainTerminal(), INDENT) : []),
  ];
}

/** A code block whose fence is longer than any run of backticks in it. */
function block(lines: readonly string[]): string {
  const text = lines.map(escapeInvisible).join('\n');
  const fence = '`'.repeat(Math.max(2, longestRun(text)) + 1);
  return [`${fence}text`, text, fence].join('\n');
}

/** Text of an adapter as inline code. */
function inline(text: string): string {
  const shown = escapeInvisible(text);
  const longest = longestRun(shown);
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${shown}${fence}` : `${fence} ${shown} ${fence}`;
}

/** The length of the longest run of backticks. */
function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}

/** Our own sentences, which may contain characters of Markdown. */
function plain(text: string): string {
  return harmless(text).replace(/[\\`*_{}[\]<>#|~]/g, (character) => `\\${character}`);
}
