/**
 * The failures of a run, a paragraph each.
 *
 * @module
 */

import { excerptDifference, quote } from '../engine/excerpt.ts';
import type { Span } from '../engine/insight/attribution.ts';
import { hasShape, type Insight } from '../engine/insight/insight.ts';
import { describeShape } from '../engine/insight/shape.ts';
import { type Difference, sharedPrefixLength } from '../engine/judge/comparison.ts';
import type { Outcome } from '../engine/judge/outcome.ts';
import type { Details } from '../engine/report/details.ts';
import type { Report } from '../engine/report/report.ts';
import { withAccept } from './commands.ts';
import { differenceLines } from './difference-lines.ts';
import { harmless } from './harmless.ts';
import { type Terminal, wrapped } from './terminal.ts';

/** More failures than this are counted; `--all` shows them. */
const SHOWN_FAILURES = 20;

/** More spans than this are counted. */
const SHOWN_SPANS = 4;

/** More of them than this are named without their texts. */
const WITH_TEXTS = 2;

const INDENT = '  ';

/** Every failure, or the first of them. Failures that the dialect alone explains are left out: one option fixes them all. */
export function failureBlocks(
  report: Report,
  out: Terminal,
  all: boolean,
  accept: (id: string) => string,
): string {
  const failures = all
    ? report.failures
    : report.failures.filter(({ vector }) => !report.failuresOfDialect.has(vector.id));
  const shown = all ? failures : failures.slice(0, SHOWN_FAILURES);
  const blocks = shown.map((outcome) =>
    withAccept(failureLines(outcome, report, out).join('\n'), accept(outcome.vector.id)),
  );
  const left = failures.length - shown.length;
  if (left > 0) blocks.push(`… and ${left} more; --all shows them`);
  return blocks.map((block) => `${block}\n\n`).join('');
}

export function failureLines(
  outcome: Outcome,
  { header, details }: Pick<Report, 'header' | 'details'>,
  { width, paint }: Terminal,
): readonly string[] {
  const { vector, verdict, unexpectedFailure } = outcome;
  const { difference, message } = verdict;
  const rule = header.suite.rules.find(({ id }) => id === vector.rules[0]);
  const line = (text: string): string => wrapped(text, width, INDENT);
  return [
    `${paint('red', verdict.status.toUpperCase())} ${paint('bold', vector.id)}`,
    ...(message === '' ? [] : [line(harmless(message))]),
    ...(unexpectedFailure === undefined
      ? []
      : [line(`expected a different failure: ${unexpectedFailure}`)]),
    ...(details ? insightLines(outcome, details, width) : []),
    ...(difference ? differenceLines(difference, { width, paint }, INDENT) : []),
    ...(rule ? [line(`rule ${rule.id} (${rule.level}): ${rule.text}`)] : []),
    line(`why ${vector.why}`),
  ];
}

/** The shape of the answer and what its trace shows, a few lines at most. */
function insightLines(
  outcome: Outcome,
  { insights, sharedShape }: Details,
  width: number,
): readonly string[] {
  const { shape, trace }: Insight = insights.inspect(outcome);
  const shapes = insights.isExplained(outcome) ? [] : (shape?.shapes ?? []);
  const further = shapes.filter(({ what }) => !sharedShape || !hasShape(sharedShape, what));
  // If only the shape is wrong, the text below is correct.
  const { spans, notes } = (shape?.right ? undefined : trace) ?? { spans: [], notes: [] };
  const { difference } = outcome.verdict;
  const shown = differentSteps(spans).slice(0, SHOWN_SPANS);
  const left = spans.length - shown.length;
  return [
    ...(shape && further.length > 0
      ? [wrapped(`shape ${describeShape({ ...shape, shapes: further })}`, width, INDENT)]
      : []),
    ...shown.map((span, i) => {
      const isBelow = i >= WITH_TEXTS || (spans.length === 1 && isShown(span, difference));
      return spanLines(span, width, isBelow);
    }),
    ...(left > 0
      ? [`${INDENT}trace ${left} more ${left === 1 ? 'place differs' : 'places differ'}`]
      : []),
    ...notes.map((note) => wrapped(`trace ${note}`, width, INDENT)),
  ];
}

/** The first span of each step and rule: the same mistake makes the others. */
function differentSteps(spans: readonly Span[]): readonly Span[] {
  const same = (a: Span, b: Span): boolean => a.step === b.step && a.rule === b.rule;
  return spans.filter((span, i) => spans.findIndex((other) => same(span, other)) === i);
}

/** Whether the difference below shows the span already. */
function isShown({ stage }: Span, difference: Difference | undefined): boolean {
  const TEXTS = ['stringToSign', 'canonicalHeaders', 'canonicalResource', 'sortedParameters'];
  return difference?.stage === stage || TEXTS.includes(difference?.stage ?? '');
}

function spanLines(
  { part, step, rule, expected, actual }: Span,
  width: number,
  isSaid: boolean,
): string {
  const head = wrapped(`trace ${foreign(part)} (step ${step}, ${rule})`, width, INDENT);
  // The part names text that is only in another place.
  if (isSaid || expected === actual) return head;
  const label = `${INDENT}${INDENT}expected  `;
  const shown = excerptDifference(
    { expected, actual, at: sharedPrefixLength(expected, actual) },
    width - label.length,
  );
  return `${head}\n${label}${shown.expected}\n${label.replace('expected', 'actual  ')}${shown.actual}`;
}

/** A name from outside, without its quotes. */
function foreign(text: string): string {
  return quote(text).slice(1, -1);
}
