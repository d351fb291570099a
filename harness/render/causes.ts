/**
 * The mistakes behind the failures of a run, with their smallest examples, and the failures that no known mistake explains; for people.
 *
 * @module
 */
import { describeCertainty } from '../engine/diagnosis/certainty.ts';
import type { FoundCause } from '../engine/diagnosis/diagnose.ts';
import type { ShrunkVector } from '../engine/diagnosis/explanation.ts';
import { parseDialect } from '../engine/dialects.ts';
import { escapeInvisible, formatCount, shorten } from '../engine/excerpt.ts';
import { deduceDifference } from '../engine/insight/insight.ts';
import { describeShape } from '../engine/insight/shape.ts';
import type { Difference } from '../engine/judge/comparison.ts';
import { type Outcome, toControlQuestion, UNEXPLAINED } from '../engine/judge/outcome.ts';
import { causePageLine } from '../engine/report/cause-page.ts';
import type { Report } from '../engine/report/report.ts';
import type { Suite, Vector } from '../engine/vector.ts';
import { type Accepted, withAccept } from './commands.ts';
import { differenceLines } from './difference-lines.ts';
import { doubtSentence, neighbourSentence, someIds } from './sentences.ts';
import { INDENT, type Terminal, wrapped } from './terminal.ts';

export type Accept = (accepted: Accepted) => string;

/**
 * A paragraph for each cause, the most frequent first, then a paragraph for the unexplained failures. Empty if no answer was wrong.
 *
 * @param all whether to show every group of unexplained failures and every smallest request
 */
export function causesBlock(report: Report, out: Terminal, all: boolean, accept: Accept): string {
  const { causes, unexplained } = report;
  if (causes.length === 0 && unexplained.length === 0) return '';
  const blocks = causes.map((cause) =>
    withAccept(causeBlock(cause, report, out), accept({ cause: cause.mistake.id })),
  );
  if (unexplained.length > 0) {
    blocks.push(withAccept(unexplainedBlock(report, out, all), accept({ cause: UNEXPLAINED })));
  }
  const title = out.paint('bold', causesHeading(report));
  return `${title}\n\n${blocks.map((block) => `${block}\n\n`).join('')}`;
}

/** How many causes explain how many failures. A failure without an answer, such as a crash, counts as unexplained. */
export function causesHeading({ causes, unexplained, failures }: Report): string {
  const explained = new Set(causes.flatMap(({ explains }) => explains));
  for (const id of unexplained) explained.delete(id);
  const failed = failures.map(({ vector }) => vector.id);
  const all = new Set([...explained, ...unexplained, ...failed]).size;
  const count = formatCount(all, 'failure');
  if (causes.length === 0)
    return `no known mistake explains ${all === 1 ? 'the failure' : `any of ${count}`}`;
  const known = formatCount(causes.length, 'cause explains', 'causes explain');
  return explained.size === all ? `${known} ${count}` : `${known} ${explained.size} of ${count}`;
}

/** At most two ids after the first one, which is the example. */
function furtherIds([, ...ids]: readonly string[]): string {
  return ids.length === 0 ? '' : `, also ${ids.slice(0, 2).join(' and ')}`;
}

/** The lines about a cause of a signer, a verifier or a client. @param example the lines of the smallest example */
export function causeLines(
  found: FoundCause,
  suite: Suite,
  { width, paint }: Terminal,
  example: readonly string[],
): readonly string[] {
  const { mistake, confidence, within, explains } = found;
  const { id, wrong, fix, seen } = mistake;
  const paragraph = (text: string): string => wrapped(text, width);
  return [
    `${paint('red', 'CAUSE')} ${paint('bold', id)}${describeCertainty(found)}`,
    paragraph(`cause ${wrong}`),
    paragraph(`fix ${fix}`),
    ...ruleLines(mistake.rule, suite, width),
    paragraph(causePageLine(id, suite)),
    ...(within === undefined ? [] : [paragraph(`only in ${within.join(' and ')}`)]),
    ...example,
    paragraph(`explains ${formatCount(explains.length, 'failure')}${furtherIds(explains)}`),
    ...(confidence === 'one of' ? [paragraph(doubtSentence(found))] : []),
    ...(seen === undefined ? [] : [paragraph(`seen in ${seen}`)]),
  ];
}

/** The rule that a mistake breaks. */
export function ruleLines(id: string, { rules }: Suite, width: number): readonly string[] {
  const rule = rules.find((candidate) => candidate.id === id);
  return rule ? [wrapped(`rule ${rule.id} (${rule.level}): ${rule.text}`, width)] : [];
}

function causeBlock(found: FoundCause, report: Report, out: Terminal): string {
  const example = exampleLines(found.explains, report, out, found);
  return causeLines(found, report.header.suite, out, example).join('\n');
}

/** Longer inputs are cut; in characters. */
const LONGEST_INPUT = 400;

/** Longer messages are cut, in characters; with `--all`, the failure itself shows more. */
export const LONGEST_MESSAGE = 200;

/** Stages whose text the string to sign contains. */
const PARTS = ['sortedParameters', 'canonicalHeaders', 'canonicalResource'];

/** The smallest vector that shows a cause, and the text that was signed instead, or else the difference of the answers. */
function exampleLines(
  [id]: readonly string[],
  { outcomes, subject }: Report,
  out: Terminal,
  cause?: FoundCause,
): readonly string[] {
  const outcome = outcomes.find(({ vector }) => vector.id === id);
  const { difference, message = '' } = outcome?.verdict ?? {};
  if (!outcome) return [];
  const indent = INDENT + INDENT;
  const signed = cause && deduced(outcome, cause, subject.dialect);
  const { toSign } = difference ?? {};
  // A difference in the string to sign already shows the correct one.
  const isShown = toSign === undefined || signed?.stage === 'stringToSign';
  return [
    wrapped(`shown by ${id}:`, out.width),
    `${indent}${inputText(outcome.vector)}`,
    ...(message === ''
      ? []
      : [wrapped(shorten(escapeInvisible(message), LONGEST_MESSAGE), out.width, indent)]),
    ...(signed
      ? differenceLines(isShown ? signed : { ...signed, toSign }, out, indent, DEDUCED)
      : difference
        ? differenceLines(difference, out, indent)
        : []),
  ];
}

/** The input as JSON, on one line. */
export function inputText({ input }: Pick<Vector, 'input'>): string {
  return `input ${shorten(escapeInvisible(JSON.stringify(input)), LONGEST_INPUT)}`;
}

const DEDUCED = ', as the answer shows';

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
function unexplainedBlock(report: Report, out: Terminal, all: boolean): string {
  const { unexplained, shrunk, silent, details } = report;
  const { width, paint } = out;
  const shape = details?.sharedShape;
  const smallest = all ? shrunk : shrunk.slice(0, SHOWN_SMALLEST);
  return [
    `${paint('red', 'UNEXPLAINED')} by any known mistake`,
    ...(shape
      ? [wrapped(`shape of all ${shape.answers} answers: ${describeShape(shape)}`, width)]
      : []),
    ...groupLines(report, width, all),
    ...(shrunk.length === 0 ? exampleLines(unexplained, report, out) : []),
    ...smallest.flatMap((one) => shrunkLines(one, out)),
    ...(silent === undefined
      ? []
      : [
          wrapped(
            `the search for smaller requests stopped early, because ${escapeInvisible(silent)}`,
            width,
          ),
        ]),
  ].join('\n');
}

/** A line for each group of failures. A shape that all share is already shown above. */
function groupLines({ details }: Report, width: number, all: boolean): readonly string[] {
  const groups = details?.unexplained ?? [];
  const shown = all ? groups : groups.slice(0, SHOWN_GROUPS);
  const left = groups.length - shown.length;
  return [
    ...shown.map(({ shared, outcomes }) => {
      const ids = outcomes.map(({ vector }) => vector.id);
      const what = details?.sharedShape ? '' : `: ${shared}`;
      const where = `${formatCount(ids.length, 'failure')} in ${outcomes[0]?.vector.operation}`;
      return wrapped(`${where}${what}; ${someIds(ids)}`, width);
    }),
    ...(left > 0 ? [`${INDENT}… and ${left} more groups; --all shows them`] : []),
  ];
}

/** The smallest failing request and the nearest passing one. */
function shrunkLines(
  { id, vector, verdict, claim, neighbour, besides, isDrawn }: ShrunkVector,
  out: Terminal,
): readonly string[] {
  const paragraph = (text: string): string => wrapped(text, out.width, INDENT + INDENT);
  const origin = isDrawn
    ? `drawn at random, because ${id} is already signed and cannot be made smaller`
    : `from ${id}`;
  return [
    wrapped(`smallest ${vector.operation}, ${origin}:`, out.width),
    `${INDENT}${INDENT}${inputText(vector)}`,
    ...(claim === undefined ? [] : [paragraph(`although ${claim}`)]),
    ...(verdict.message === ''
      ? []
      : [paragraph(shorten(escapeInvisible(verdict.message), LONGEST_MESSAGE))]),
    ...(verdict.difference ? differenceLines(verdict.difference, out, INDENT + INDENT) : []),
    paragraph(neighbourSentence(neighbour, besides)),
  ];
}
