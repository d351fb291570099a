/**
 * The mistakes behind the failures of a run, with their smallest examples, and the failures that no known mistake explains; for people.
 *
 * @module
 */
import { describeCertainty } from '../engine/diagnosis/certainty.ts';
import type { FoundCause } from '../engine/diagnosis/diagnose.ts';
import type { ShrunkVector } from '../engine/diagnosis/explanation.ts';
import { parseDialect } from '../engine/dialects.ts';
import { escapeInvisible, formatCount, formatList, shorten } from '../engine/excerpt.ts';
import { groupByKey } from '../engine/group-by-key.ts';
import { deduceDifference, type SharedShape } from '../engine/insight/insight.ts';
import { describeShape } from '../engine/insight/shape.ts';
import type { Difference } from '../engine/judge/comparison.ts';
import { type Outcome, toControlQuestion, unexplainedPhrase } from '../engine/judge/outcome.ts';
import { findExample } from '../engine/report/example.ts';
import type { Report } from '../engine/report/report.ts';
import type { Suite, Vector } from '../engine/vector.ts';
import { differenceLines } from './difference-lines.ts';
import {
  adviceSentences,
  doubtSentence,
  furtherSentences,
  neighbourSentence,
  someIds,
} from './sentences.ts';
import { INDENT, labelled, showSome, type Terminal, toBlocks, toLines } from './terminal.ts';

/**
 * A paragraph for each cause, the most frequent first, then a paragraph for the unexplained failures. Empty if no answer was wrong.
 *
 * @param all whether to show every group of unexplained failures and every smallest request
 */
export function causesBlock(report: Report, out: Terminal, all: boolean): string {
  const { causes, unexplained } = report;
  if (causes.length === 0 && unexplained.length === 0) return '';
  const blocks = causes.map((cause) => {
    const example = findExample(cause, report);
    const lines = example ? exampleLines(example, report, out, cause) : [];
    const shown = { id: example?.vector.id, lines };
    const further = furtherSentences(report, cause).map((sentence) => out.wrap(sentence));
    return toLines(causeLines(cause, report.header.suite, out, shown), further);
  });
  if (unexplained.length > 0) blocks.push(unexplainedLines(report, out, all));
  return toBlocks([out.paint('bold', out.wrap(causesHeading(report), '')), ...blocks]);
}

/**
 * How many causes explain how many failures, and whether a failure has several. A failure without an answer, such as a crash, counts
 * as unexplained.
 */
export function causesHeading({ causes, unexplained, failures }: Report): string {
  const explained = new Set(causes.flatMap(({ explains }) => explains));
  for (const id of unexplained) explained.delete(id);
  const failed = failures.map(({ vector }) => vector.id);
  const all = new Set([...explained, ...unexplained, ...failed]).size;
  const count = formatCount(all, 'failure');
  if (causes.length === 0) return `no known mistake explains the ${all === 1 ? 'failure' : count}`;
  const known = formatCount(causes.length, 'cause explains', 'causes explain');
  const most = countMostCauses(causes);
  const overlap = most > 1 ? `; some failures have ${most === 2 ? 'two' : 'several'} causes` : '';
  return `${known} ${explained.size === all ? '' : `${explained.size} of `}${count}${overlap}`;
}

/** The number of causes of the failure that has the most. */
function countMostCauses(causes: readonly FoundCause[]): number {
  const groups = groupByKey(causes.flatMap(({ explains }) => explains.map((id) => [id, id])));
  return Math.max(...[...groups.values()].map(({ length }) => length));
}

/** The vector that shows a cause. */
interface Example {
  readonly id: string | undefined;
  readonly lines: readonly string[];
}

/** The lines about a cause of a signer, a verifier or a client. */
export function causeLines(
  found: FoundCause,
  suite: Suite,
  { paint, wrap }: Terminal,
  example: Example,
): readonly string[] {
  const { mistake, confidence, within, explains } = found;
  const { id, seen } = mistake;
  const further = formatList(explains.filter((one) => one !== example.id).slice(0, 2));
  return toLines(
    `${paint('red', 'CAUSE')} ${paint('bold', id)}${describeCertainty(found)}`,
    adviceSentences(mistake, suite).map((sentence) => wrap(sentence)),
    within && wrap(`only in ${formatList(within)}`),
    example.lines,
    wrap(`explains ${formatCount(explains.length, 'failure')}${further && `, such as ${further}`}`),
    confidence === 'one of' && wrap(doubtSentence(found)),
    seen !== undefined && wrap(`seen in ${seen}`),
  );
}

/** Longer inputs are cut; in characters. */
const LONGEST_INPUT = 400;

/** Longer messages are cut, in characters; with `--all`, the failure itself shows more. */
export const LONGEST_MESSAGE = 200;

/** Stages whose text the string to sign contains. */
const PARTS = ['sortedParameters', 'canonicalHeaders', 'canonicalResource'];

/** A failing vector, and the text that was signed instead, or else the difference of the answers. */
function exampleLines(
  outcome: Outcome,
  { subject }: Report,
  out: Terminal,
  cause?: FoundCause,
): readonly string[] {
  const { difference, message } = outcome.verdict;
  const indent = INDENT + INDENT;
  const signed = cause && deduced(outcome, cause, subject.dialect);
  const { toSign } = difference ?? {};
  // A difference in the string to sign already shows the correct one.
  const isShown = toSign === undefined || signed?.stage === 'stringToSign';
  return toLines(
    out.wrap(`shown by ${outcome.vector.id}:`),
    `${indent}${inputText(outcome.vector)}`,
    message !== '' && out.wrap(shorten(escapeInvisible(message), LONGEST_MESSAGE), indent),
    signed
      ? differenceLines(isShown ? signed : { ...signed, toSign }, out, indent, DEDUCED)
      : difference && differenceLines(difference, out, indent),
  );
}

/** The input as JSON, on one line. */
export function inputText({ input }: Pick<Vector, 'input'>): string {
  return `input ${shorten(escapeInvisible(JSON.stringify(input)), LONGEST_INPUT)}`;
}

/** The remark on a text that the answer does not contain. */
export const DEDUCED = ' (computed from your answer)';

function deduced(
  { vector, verdict }: Outcome,
  { mistake }: FoundCause,
  dialect: string,
): Difference | undefined {
  const { control } = vector;
  const answered = control ? { ...toControlQuestion(vector), expect: control.expect } : vector;
  const { difference } = verdict;
  return (
    difference && deduceDifference(answered, difference, [mistake], parseDialect(dialect), PARTS)
  );
}

/** Further groups and smallest requests are only counted; `--all` shows them. */
const SHOWN_GROUPS = 5;
const SHOWN_SMALLEST = 3;

/** The common shape of the failures without a known cause, their groups, and the smallest requests that fail in the same way. */
function unexplainedLines(report: Report, out: Terminal, all: boolean): readonly string[] {
  const { unexplained, shrunk, silent, details, outcomes } = report;
  const { paint, wrap } = out;
  const shape = details?.sharedShape;
  const first = outcomes.find(({ vector }) => vector.id === unexplained[0]);
  const smallest = all ? shrunk : shrunk.slice(0, SHOWN_SMALLEST);
  const stopped = 'the search for smaller requests stopped early';
  return toLines(
    unexplainedPhrase(paint('red', 'UNEXPLAINED')),
    shape && sharedShapeLines(shape, out),
    groupLines(report, out, all),
    shrunk.length === 0 && first && exampleLines(first, report, out),
    smallest.flatMap((one) => shrunkLines(one, out)),
    silent !== undefined && wrap(`${stopped}, because ${escapeInvisible(silent)}`),
  );
}

function sharedShapeLines(shape: SharedShape, { wrap }: Terminal): readonly string[] {
  const { what, fix } = describeShape(shape);
  return [wrap(`shape of all ${shape.answers} answers: ${what}`), wrap(labelled('fix', fix))];
}

/** What the failures of each group share, how to fix it, and some ids. A shape that all share is already shown above. */
function groupLines({ details }: Report, { wrap }: Terminal, all: boolean): readonly string[] {
  const groups = details?.unexplained ?? [];
  const indent = INDENT + INDENT;
  return showSome(
    groups,
    all ? groups.length : SHOWN_GROUPS,
    ({ shared, fix, outcomes }) => {
      const ids = outcomes.map(({ vector }) => vector.id);
      const where = `${formatCount(ids.length, 'failure')} in ${outcomes[0]?.vector.operation}`;
      const isShown = details?.sharedShape !== undefined;
      return toLines(
        wrap(isShown ? where : `${where}: ${shared}`),
        !isShown && fix !== undefined && wrap(labelled('fix', fix), indent),
        wrap(someIds(ids), indent),
      ).join('\n');
    },
    INDENT,
    ({ length }) => `${length} more groups`,
  );
}

/** The smallest failing request and the nearest passing one. */
function shrunkLines(
  { id, vector, verdict, neighbour, besides, isDrawn }: ShrunkVector,
  out: Terminal,
): readonly string[] {
  const indent = INDENT + INDENT;
  const origin = isDrawn
    ? `drawn at random, because ${id} is already signed and cannot be made smaller`
    : `from ${id}`;
  const { message, difference } = verdict;
  return toLines(
    out.wrap(`smallest ${vector.operation}, ${origin}:`),
    `${indent}${inputText(vector)}`,
    message !== '' && out.wrap(shorten(escapeInvisible(message), LONGEST_MESSAGE), indent),
    difference && differenceLines(difference, out, indent),
    out.wrap(neighbourSentence(neighbour, besides), indent),
  );
}
