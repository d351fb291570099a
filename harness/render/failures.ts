/**
 * The failures of a run, a paragraph each.
 *
 * @module
 */
import { formatCount, quote } from '../engine/excerpt.ts';
import type { Span } from '../engine/insight/attribution.ts';
import { hasShape, type Insight } from '../engine/insight/insight.ts';
import { type AnswerShape, describeShape } from '../engine/insight/shape.ts';
import { type Difference, sharedPrefixLength } from '../engine/judge/comparison.ts';
import type { Outcome } from '../engine/judge/outcome.ts';
import type { Details } from '../engine/report/details.ts';
import type { Report } from '../engine/report/report.ts';
import { differenceLines, excerptDifference } from './difference-lines.ts';
import { ruleSentence, someIds } from './sentences.ts';
import { INDENT, labelled, showSome, type Terminal, toBlocks, toLines } from './terminal.ts';

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
  describeCause: (ids: readonly string[]) => string,
): string {
  const groups = all
    ? report.failures.map((outcome) => [outcome])
    : (report.details?.others ?? []).map(({ outcomes }) => outcomes);
  const blocks = showSome(
    groups,
    all ? groups.length : SHOWN_GROUPS,
    (group) => {
      const ids = group.map(({ vector }) => vector.id);
      return toLines(groupLines(group, ids, report, out), describeCause(ids)).join('\n');
    },
    '',
    (others) => `${formatCount(others.flat().length, 'failure')} more`,
  );
  return toBlocks(blocks);
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
  return [...answerLines(first, `${ids.length} vectors`, out), out.wrap(someIds(ids))];
}

/**
 * The status, the message of the verdict, how the failure differs from an expected one, and the difference of the texts.
 *
 * @param insights lines that explain the difference
 */
export function answerLines(
  { verdict, unexpectedFailure }: Outcome,
  name: string,
  out: Terminal,
  insights: readonly string[] = [],
): readonly string[] {
  const { status, message, difference } = verdict;
  const { paint, wrap } = out;
  return toLines(
    `${paint('red', status.toUpperCase())} ${paint('bold', name)}`,
    message !== '' && wrap(message),
    unexpectedFailure !== undefined && wrap(`expected a different failure: ${unexpectedFailure}`),
    insights,
    difference && differenceLines(difference, out),
  );
}

export function failureLines(
  outcome: Outcome,
  { header, details }: Pick<Report, 'header' | 'details'>,
  out: Terminal,
): readonly string[] {
  const { vector } = outcome;
  const rule = header.suite.rules.find(({ id }) => id === vector.rules[0]);
  return toLines(
    answerLines(outcome, vector.id, out, details && insightLines(outcome, details, out)),
    rule && out.wrap(ruleSentence(rule)),
    out.wrap(labelled('why', vector.why)),
  );
}

/** A few lines about the shape of the answer and its trace. */
function insightLines(
  outcome: Outcome,
  { insights, sharedShape }: Details,
  out: Terminal,
): readonly string[] {
  const { shape, trace }: Insight = insights.inspect(outcome);
  const shapes = insights.isExplained(outcome) ? [] : (shape?.shapes ?? []);
  const further = shapes.filter(({ what }) => !sharedShape || !hasShape(sharedShape, what));
  // If only the shape is wrong, the text below is correct.
  const { spans, notes } = (shape?.right ? undefined : trace) ?? { spans: [], notes: [] };
  const { difference } = outcome.verdict;
  const shown = differentSteps(spans).slice(0, SHOWN_SPANS);
  const left = spans.length - shown.length;
  return toLines(
    shape && further.length > 0 && shapeLines({ ...shape, shapes: further }, out),
    shown.map((span, i) => {
      const isBelow = i >= WITH_TEXTS || (spans.length === 1 && isShown(span, difference));
      return spanLines(span, out, isBelow);
    }),
    left > 0 &&
      out.wrap(labelled('trace', formatCount(left, 'more place differs', 'more places differ'))),
    notes.map((note) => out.wrap(labelled('trace', note))),
  );
}

/** What is wrong with the form of the answer, and how to fix it. */
function shapeLines(shape: AnswerShape, { wrap }: Terminal): readonly string[] {
  const { what, fix } = describeShape(shape);
  return [wrap(labelled('shape', what)), wrap(labelled('fix', fix))];
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
  { width, wrap }: Terminal,
  isSaid: boolean,
): string {
  const head = wrap(labelled('trace', `${quote(part).slice(1, -1)} (step ${step}, ${rule})`));
  // Equal texts differ only in their place, which the head names.
  if (isSaid || expected === actual) return head;
  const label = `${INDENT}${INDENT}expected  `;
  const shown = excerptDifference(
    { expected, actual, at: sharedPrefixLength(expected, actual) },
    width - label.length,
  );
  return `${head}\n${label}${shown.expected}\n${label.replace('expected', 'actual  ')}${shown.actual}`;
}
