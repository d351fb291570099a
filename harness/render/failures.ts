/**
 * The failures of a run, a paragraph each.
 *
 * @module
 */
import { formatCount, quote } from '../engine/excerpt.ts';
import type { Span } from '../engine/insight/attribution.ts';
import { hasShape, type Insight } from '../engine/insight/insight.ts';
import { describeShape } from '../engine/insight/shape.ts';
import { type Difference, sharedPrefixLength } from '../engine/judge/comparison.ts';
import type { Outcome } from '../engine/judge/outcome.ts';
import type { Details } from '../engine/report/details.ts';
import type { Report } from '../engine/report/report.ts';
import { withAccept } from './commands.ts';
import { differenceLines, excerptDifference } from './difference-lines.ts';
import { someIds } from './sentences.ts';
import { INDENT, type Terminal, wrapped } from './terminal.ts';

/** Further groups are only counted; `--all` shows each failure. */
const SHOWN_GROUPS = 5;

/** Further spans are only counted. */
const SHOWN_SPANS = 4;

/** Further spans are named without their texts. */
const WITH_TEXTS = 2;

/** A paragraph for each group of failures that no paragraph above explains; with `--all`, a paragraph for every failure. */
export function failureBlocks(
  report: Report,
  out: Terminal,
  all: boolean,
  accept: (ids: readonly string[]) => string,
): string {
  const groups = all
    ? report.failures.map((outcome) => [outcome])
    : (report.details?.others ?? []).map(({ outcomes }) => outcomes);
  const shown = all ? groups : groups.slice(0, SHOWN_GROUPS);
  const blocks = shown.map((group) => {
    const ids = group.map(({ vector }) => vector.id);
    return withAccept(groupLines(group, ids, report, out).join('\n'), accept(ids));
  });
  const left = groups.slice(shown.length).flat().length;
  if (left > 0) blocks.push(`… and ${formatCount(left, 'failure')} more; --all shows them`);
  return blocks.map((block) => `${block}\n\n`).join('');
}

/** The lines of a single failure; or, of several, their common message, the first difference and some ids. */
function groupLines(
  group: readonly Outcome[],
  ids: readonly string[],
  report: Report,
  out: Terminal,
): readonly string[] {
  const [first, second] = group;
  if (!first) return [];
  if (!second) return failureLines(first, report, out);
  const { status, difference } = first.verdict;
  return [
    `${out.paint('red', status.toUpperCase())} ${out.paint('bold', `${ids.length} vectors`)}`,
    ...saidLines(first, out.width),
    ...(difference ? differenceLines(difference, out) : []),
    wrapped(someIds(ids), out.width),
  ];
}

/** The message of the verdict, and how the failure differs from an expected one. */
function saidLines(
  { verdict: { message }, unexpectedFailure }: Outcome,
  width: number,
): readonly string[] {
  return [
    ...(message === '' ? [] : [wrapped(message, width)]),
    ...(unexpectedFailure === undefined
      ? []
      : [wrapped(`expected a different failure: ${unexpectedFailure}`, width)]),
  ];
}

export function failureLines(
  outcome: Outcome,
  { header, details }: Pick<Report, 'header' | 'details'>,
  { width, paint }: Terminal,
): readonly string[] {
  const { vector, verdict } = outcome;
  const { difference } = verdict;
  const rule = header.suite.rules.find(({ id }) => id === vector.rules[0]);
  const line = (text: string): string => wrapped(text, width);
  return [
    `${paint('red', verdict.status.toUpperCase())} ${paint('bold', vector.id)}`,
    ...saidLines(outcome, width),
    ...(details ? insightLines(outcome, details, width) : []),
    ...(difference ? differenceLines(difference, { width, paint }) : []),
    ...(rule ? [line(`rule ${rule.id} (${rule.level}): ${rule.text}`)] : []),
    line(`why ${vector.why}`),
  ];
}

/** A few lines about the shape of the answer and its trace. */
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
      ? [wrapped(`shape ${describeShape({ ...shape, shapes: further })}`, width)]
      : []),
    ...shown.map((span, i) => {
      const isBelow = i >= WITH_TEXTS || (spans.length === 1 && isShown(span, difference));
      return spanLines(span, width, isBelow);
    }),
    ...(left > 0
      ? [`${INDENT}trace ${formatCount(left, 'more place differs', 'more places differ')}`]
      : []),
    ...notes.map((note) => wrapped(`trace ${note}`, width)),
  ];
}

/** The first span of each step and rule. The others have the same mistake. */
function differentSteps(spans: readonly Span[]): readonly Span[] {
  const same = (a: Span, b: Span): boolean => a.step === b.step && a.rule === b.rule;
  return spans.filter((span, i) => spans.findIndex((other) => same(span, other)) === i);
}

/** Whether the difference below already shows the span. */
function isShown({ stage }: Span, difference: Difference | undefined): boolean {
  const TEXTS = ['stringToSign', 'canonicalHeaders', 'canonicalResource', 'sortedParameters'];
  return difference?.stage === stage || TEXTS.includes(difference?.stage ?? '');
}

function spanLines(
  { part, step, rule, expected, actual }: Span,
  width: number,
  isSaid: boolean,
): string {
  const head = wrapped(`trace ${foreign(part)} (step ${step}, ${rule})`, width);
  // Equal texts differ only in their place, which the head names.
  if (isSaid || expected === actual) return head;
  const label = `${INDENT}${INDENT}expected  `;
  const shown = excerptDifference(
    { expected, actual, at: sharedPrefixLength(expected, actual) },
    width - label.length,
  );
  return `${head}\n${label}${shown.expected}\n${label.replace('expected', 'actual  ')}${shown.actual}`;
}

/** A text of another program, escaped but without quotes. */
function foreign(text: string): string {
  return quote(text).slice(1, -1);
}
