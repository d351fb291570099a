/**
 * The smallest failing vector of a paragraph: its input, and the expected and the actual text.
 *
 * @module
 */
import type { FoundCause } from '../engine/diagnosis/diagnose.ts';
import { parseDialect } from '../engine/dialects.ts';
import { escapeInvisible, shorten } from '../engine/excerpt.ts';
import { deduceDifference } from '../engine/insight/insight.ts';
import type { Difference } from '../engine/judge/comparison.ts';
import { type Outcome, toControlQuestion } from '../engine/judge/outcome.ts';
import type { Report } from '../engine/report/report.ts';
import type { Vector } from '../engine/vector.ts';
import { differenceLines } from './difference-lines.ts';
import { type Terminal, wrapped } from './terminal.ts';

/** Longer inputs are cut; in characters. */
const LONGEST_INPUT = 400;

/** Longer messages are cut, in characters; with `--all`, the failure itself shows more. */
export const LONGEST_MESSAGE = 200;

/** Stages whose text the string to sign contains. */
const PARTS = ['sortedParameters', 'canonicalHeaders', 'canonicalResource'];

const INDENT = '  ';

/** The smallest vector that shows a cause, and the text that was signed instead, or else the difference of the answers. */
export function exampleLines(
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
    wrapped(`shown by ${id}:`, out.width, INDENT),
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
