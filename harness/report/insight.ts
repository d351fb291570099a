/**
 * What one failure shows by itself, in words.
 *
 * @module
 */
import type { Dialect } from '../adapter/messages.ts';
import type { Span } from '../diagnosis/attribution.ts';
import type { Explanation } from '../diagnosis/explanation.ts';
import { hasShape, type Insight, Insights, type SharedShape } from '../diagnosis/insight.ts';
import { shapeSentence } from '../diagnosis/shape.ts';
import { type Difference, sharedStart } from '../judge/difference.ts';
import type { Outcome } from '../run.ts';
import { excerpts, visible } from './excerpt.ts';
import { wrapped } from './terminal.ts';

/** More spans than this are counted. */
const SHOWN_SPANS = 4;

/** More of them than this are named without their texts. */
const WITH_TEXTS = 2;

const INDENT = '  ';

/** What a report says of its failures before it shows them one by one. */
export interface Said {
  readonly dialect: Dialect;
  readonly insights: Insights;
  /** What all failures that no cause explains have in common. */
  readonly shared?: SharedShape | undefined;
}

/** What is said of the failures that an explanation is about. */
export function saidOf(
  { causes, unexplained }: Pick<Explanation, 'causes' | 'unexplained'>,
  outcomes: readonly Outcome[],
  dialect: Dialect,
): Said {
  const insights = new Insights(dialect, new Set(causes.flatMap(({ explains }) => explains)));
  return { dialect, insights, shared: insights.shared(unexplained, outcomes) };
}

/** The shape that all unexplained answers have, in a line; none where they have none. */
export function sharedShapeLines({ shared }: Said, width: number): readonly string[] {
  return shared
    ? [wrapped(`shape of all ${shared.answers} answers: ${shapeSentence(shared)}`, width, INDENT)]
    : [];
}

/** The shape of the answer and what its trace shows, a few lines at most. */
export function insightLines(outcome: Outcome, said: Said, width: number): readonly string[] {
  const { shape, trace }: Insight = said.insights.into(outcome);
  const shapes = said.insights.isExplained(outcome) ? [] : (shape?.shapes ?? []);
  const further = shapes.filter(({ what }) => !said.shared || !hasShape(said.shared, what));
  // Where only the shape is wrong, the text below is right.
  const { spans, notes } = (shape?.right ? undefined : trace) ?? { spans: [], notes: [] };
  const { difference } = outcome.verdict;
  const shown = differentSteps(spans).slice(0, SHOWN_SPANS);
  const left = spans.length - shown.length;
  return [
    ...(shape && further.length > 0
      ? [wrapped(`shape ${shapeSentence({ ...shape, shapes: further })}`, width, INDENT)]
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

/** The first span of each step and rule: the others are made by the same mistake. */
function differentSteps(spans: readonly Span[]): readonly Span[] {
  const same = (a: Span, b: Span): boolean => a.step === b.step && a.rule === b.rule;
  return spans.filter((span, i) => spans.findIndex((other) => same(span, other)) === i);
}

/** The one span of a stage is the difference that is shown below. */
function isShown({ stage }: Span, difference: Difference | undefined): boolean {
  const TEXTS = ['stringToSign', 'canonicalHeaders', 'canonicalResource', 'sortedParameters'];
  return difference?.stage === stage || TEXTS.includes(difference?.stage ?? '');
}

function spanLines(
  { stage, part, step, rule, expected, actual }: Span,
  width: number,
  isSaid: boolean,
): string {
  const head = wrapped(`trace ${foreign(part)} (step ${step}, ${rule})`, width, INDENT);
  // What only stands elsewhere is named by the part.
  if (isSaid || expected === actual) return head;
  const label = `${INDENT}${INDENT}expected  `;
  const shown = excerpts(
    { stage, expected, actual, at: sharedStart(expected, actual) },
    width - label.length,
  );
  return `${head}\n${label}${shown.expected}\n${label.replace('expected', 'actual  ')}${shown.actual}`;
}

/** A name that somebody else wrote, without its quotes. */
function foreign(text: string): string {
  return visible(text).slice(1, -1);
}
