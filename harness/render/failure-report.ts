/**
 * The problems of a run, for people: verifiers that accept or refuse everything, causes, shared mistakes, failures, stale expectations.
 *
 * @module
 */
import { escapeInvisible, formatCount, formatList, shorten } from '../engine/excerpt.ts';
import { type Outcome, UNEXPLAINED } from '../engine/judge/outcome.ts';
import type { SharedMistake } from '../engine/judge/verifiers.ts';
import type { Report } from '../engine/report/report.ts';
import { causesBlock } from './causes.ts';
import { runCommand } from './commands.ts';
import { answerLines, failureBlocks } from './failures.ts';
import { harmless } from './harmless.ts';
import { sharedFix } from './next-steps.ts';
import { adviceSentences, freshSentence, othersSentence, sharedSentence } from './sentences.ts';
import {
  filled,
  INDENT,
  labelled,
  showSome,
  type Terminal,
  toBlocks,
  toLines,
} from './terminal.ts';

/** Further failures on fresh data are only counted; `--all` shows them. */
const SHOWN_FRESH = 1;

/** @param all whether to show every failure */
export function failureReport(report: Report, out: Terminal, all: boolean): string {
  return [
    // A verifier of another dialect refuses everything, as it should.
    report.isOtherDialect ? '' : blindBlock(report, out),
    causesBlock(report, out, all),
    sharedBlock(report, out, all),
    unjudgedBlock(report, out),
    failureBlocks(report, out, all, causeLine(report, out)),
    freshBlock(report, out, all),
    staleBlock(report, out, all),
  ].join('');
}

/** The last line of a group of failures: the names of the causes that a paragraph above explains; empty without one. */
function causeLine(
  { causes, unexplained }: Report,
  { paint }: Terminal,
): (ids: readonly string[]) => string {
  const isUnexplained = new Set(unexplained);
  return ([id = '']) => {
    const names = causes.filter(({ explains }) => explains.includes(id));
    const above = isUnexplained.has(id) ? [UNEXPLAINED] : names.map(({ mistake }) => mistake.id);
    if (above.length === 0) return '';
    return `${INDENT}${paint('dim', labelled('cause', `${formatList(above)}, above`))}`;
  };
}

/** A sentence for each verifier that accepts or refuses everything. */
function blindBlock({ details }: Report, { paint, wrap }: Terminal): string {
  return toBlocks((details?.blind ?? []).map(({ sentence }) => paint('red', wrap(sentence, ''))));
}

function freshBlock(report: Report, out: Terminal, all: boolean): string {
  const { fresh, freshUncaused, header, subject } = report;
  const sentence = freshSentence(report);
  if (sentence === undefined || !fresh) return '';
  const show = (outcome: Outcome): string => {
    const id = outcome.vector.id.replace(/^fresh\//, '');
    const again = `${INDENT}again: ${runCommand(header.parameters, subject, id, fresh.seed)}`;
    const lines = answerLines(outcome, outcome.vector.id, out);
    return toLines(lines, subject.command.length > 0 && again).join('\n');
  };
  const heading = out.paint('bold', out.wrap(sentence, ''));
  const most = all ? freshUncaused.length : SHOWN_FRESH;
  return toBlocks([heading, ...showSome(freshUncaused, most, show)]);
}

/** A line for each stale expectation; with `--all`, the lines to remove. */
export function staleBlock({ stale }: Report, { paint }: Terminal, all: boolean): string {
  const lines = stale.flatMap(({ problem, first, lines: removed }) => [
    `${paint('red', 'STALE')} ${escapeInvisible(problem)}`,
    ...(all ? removed : []).map(
      (line, i) => `${INDENT}${paint('dim', `${first + i} |`)} ${escapeInvisible(line)}`,
    ),
  ]);
  return toBlocks([lines]);
}

/** Further shared mistakes are only counted; `--all` shows them. */
const SHOWN_SHARED = 10;

/** Longer requests are cut; in characters. */
const LONGEST_REQUEST = 600;

/** A line for each mistake of requests that verifiers accept, or a paragraph with `--all`. */
function sharedBlock(report: Report, out: Terminal, all: boolean): string {
  const shared = report.details?.shared ?? [];
  if (all) return toBlocks(shared.map((one) => sharedLines(one, report, out)));
  const lines = showSome(
    shared,
    SHOWN_SHARED,
    (one) => forgedLine(sharedSentence(one), out),
    '',
    ({ length }) => `${length} more shared mistakes`,
  );
  return toBlocks([lines]);
}

/** A sentence for the forged requests of each verifier that were not judged, if nothing else says why the run fails. */
function unjudgedBlock({ details }: Report, out: Terminal): string {
  const lines = (details?.unjudged ?? []).map(({ operation, status, message, count }) => {
    const what = `${formatCount(count, 'request')} to ${operation}: ${status}`;
    return forgedLine(harmless(`${what}; ${message}`), out);
  });
  return toBlocks([lines]);
}

function forgedLine(text: string, { paint, width }: Terminal): string {
  return filled(`${paint('red', 'FORGED')} ${text}`, width, '', INDENT);
}

function sharedLines(one: SharedMistake, report: Report, out: Terminal): readonly string[] {
  const [mistake, ...others] = one.mistakes;
  const [request] = one.accepted;
  const input = request && shorten(JSON.stringify(request.input), LONGEST_REQUEST);
  const sentences = toLines(
    mistake && adviceSentences({ ...mistake, fix: sharedFix(one) }, report.header.suite),
    others.length > 0 && othersSentence({ others }),
    request && `request of ${request.vector}: ${input}`,
  );
  return [forgedLine(sharedSentence(one), out), ...sentences.map((sentence) => out.wrap(sentence))];
}
