/**
 * What one failure shows by itself, in words.
 *
 * @module
 */
import { type Insight, insightInto } from '../diagnosis/insight.ts';
import { shapeSentence } from '../diagnosis/shape.ts';
import type { Span } from '../diagnosis/spans/span.ts';
import type { Difference } from '../judge/difference.ts';
import type { Outcome } from '../run.ts';
import { visible } from './excerpt.ts';
import { wrapped } from './terminal.ts';

/** More spans than this are counted. */
const SHOWN_SPANS = 3;

/** Shorter excerpts show nothing. */
const SHORTEST = 12;

const INDENT = '  ';

/** The shape of the answer and what its trace shows, a few lines at most. */
export function insightLines(outcome: Outcome, width: number): readonly string[] {
  const { shape, trace }: Insight = insightInto(outcome);
  const spans = trace?.spans ?? [];
  const { difference } = outcome.verdict;
  const shown = differentSteps(spans).slice(0, SHOWN_SPANS);
  const left = spans.length - shown.length;
  // A digest that is right underneath says the same of its text.
  const notes = shape?.right ? [] : (trace?.notes ?? []);
  return [
    ...(shape ? [wrapped(`shape ${shapeSentence(shape)}`, width, INDENT)] : []),
    ...shown.map((span) => spanLines(span, width, spans.length === 1 && isShown(span, difference))),
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
  { part, step, rule, expected, actual }: Span,
  width: number,
  isShown: boolean,
): string {
  const head = wrapped(`trace ${foreign(part)} (step ${step}, ${rule})`, width, INDENT);
  if (isShown) return head;
  const room = Math.max(
    SHORTEST,
    Math.floor((width - `${INDENT}${INDENT} where  is due`.length) / 2),
  );
  const given = actual === '' ? 'nothing' : cut(visible(actual), room);
  const due = expected === '' ? 'nothing' : cut(visible(expected), room);
  return `${head}\n${INDENT}${INDENT}${given} where ${due} is due`;
}

/** A name that somebody else wrote, without its quotes. */
function foreign(text: string): string {
  return visible(text).slice(1, -1);
}

function cut(text: string, room: number): string {
  return text.length > room ? `${text.slice(0, room - 1)}…` : text;
}
