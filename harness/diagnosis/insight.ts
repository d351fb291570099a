/**
 * What one failure shows by itself: the shape of its answer, then its trace.
 *
 * @module
 */
import type { Cause } from '../../reference/mistakes/index.ts';
import type { Dialect, Reply } from '../adapter/messages.ts';
import { type Difference, firstDifference } from '../judge/difference.ts';
import { equalForm } from '../judge/equal-form.ts';
import { controlOf, type Outcome, questionOf } from '../run.ts';
import type { Vector } from '../suite/vector.ts';
import { isMistake } from './diagnose.ts';
import { mistakenReply } from './mistaken-reply.ts';
import { type AnswerShape, shapeOf } from './shape.ts';
import type { Shape } from './shapes/form.ts';
import type { Answered } from './shapes/writing-mistake.ts';
import { type TraceFinding, traceOf } from './trace.ts';

export interface Insight {
  readonly shape?: AnswerShape;
  readonly trace?: TraceFinding;
}

/** Looks at a wrong answer, or at the wrong answer to the control of a refusal; nothing where there is none. */
export function insightInto(outcome: Outcome, dialect: Dialect): Insight {
  const wrong = wrongAnswer(outcome);
  if (!wrong) return {};
  const shape = shapeOf(wrong.answered, wrong.given.result, dialect);
  const trace = traceOf(wrong.answered, wrong.given);
  return { ...(shape && { shape }), ...(trace && { trace }) };
}

interface WrongAnswer {
  readonly answered: Answered;
  readonly given: Extract<Reply, { kind: 'result' }>;
}

function wrongAnswer(outcome: Outcome): WrongAnswer | undefined {
  const { vector, verdict, reply, controlReply } = outcome;
  const isControl = vector.control !== undefined;
  const given = isControl ? controlReply : reply;
  const expect = isControl ? vector.control.expect : vector.expect;
  if (!verdict.difference || given?.kind !== 'result' || !expect) return undefined;
  return { answered: { ...(isControl ? controlOf(vector) : questionOf(vector)), expect }, given };
}

/** The shapes that several wrong answers have in common, and how many answers they are. */
export interface SharedShape {
  readonly right: boolean;
  readonly shapes: readonly Shape[];
  readonly answers: number;
}

/** What all wrong answers to some vectors have in common; nothing where that is nothing, or where there is only one. */
export function sharedShape(
  ids: readonly string[],
  outcomes: readonly Outcome[],
  dialect: Dialect,
): SharedShape | undefined {
  const asked = new Set(ids);
  const wrong = outcomes
    .filter(({ vector }) => asked.has(vector.id))
    .flatMap((outcome) => wrongAnswer(outcome) ?? []);
  let shared: SharedShape | undefined;
  for (const { answered, given } of wrong) {
    const found = shapeOf(answered, given.result, dialect);
    const shapes = found?.shapes.filter(({ what }) => !shared || hasShape(shared, what)) ?? [];
    if (!found || shapes.length === 0) return undefined;
    const right = found.right && shared?.right !== false;
    shared = { right, shapes, answers: wrong.length };
  }
  return wrong.length > 1 ? shared : undefined;
}

/** Whether one of these shapes is this one. */
export const hasShape = ({ shapes }: Pick<SharedShape, 'shapes'>, what: string): boolean =>
  shapes.some((shape) => shape.what === what);

/**
 * Where what was signed first differs, deduced from mistakes that give the very answer.
 *
 * A digest hides what was signed; nothing where the answer shows it, or where the mistakes give another answer.
 */
export function deducedDifference(
  { operation, keys, input, expect }: Pick<Vector, 'operation' | 'keys' | 'input' | 'expect'>,
  { stage, actual }: Difference,
  causes: readonly Cause[],
  dialect: Dialect,
): Difference | undefined {
  const mistakes = causes.filter(isMistake);
  if (!expect || mistakes.length === 0 || 'content' in input) return undefined;
  const reply = mistakenReply({ operation, keys, input }, mistakes, dialect);
  if (reply.kind !== 'result' || equalForm(operation, stage, reply.result[stage]) !== actual) {
    return undefined;
  }
  // A list of pairs reads worse than the text that they make.
  const { sortedParameters: _, ...shown } = reply.result;
  const found = firstDifference(operation, expect, shown);
  return found && found.stage !== stage ? found : undefined;
}
