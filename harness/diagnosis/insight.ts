/**
 * What one failure shows by itself: the shape of its answer, then its trace.
 *
 * @module
 */
import type { Cause } from '../../reference/mistakes/index.ts';
import type { Dialect } from '../adapter/messages.ts';
import { type Difference, firstDifference } from '../judge/difference.ts';
import { equalForm } from '../judge/equal-form.ts';
import { controlOf, type Outcome } from '../run.ts';
import type { Vector } from '../suite/vector.ts';
import { isMistake } from './diagnose.ts';
import { mistakenReply } from './mistaken-reply.ts';
import { type AnswerShape, shapeOf } from './shape.ts';
import { type TraceFinding, traceOf } from './trace.ts';

export interface Insight {
  readonly shape?: AnswerShape;
  readonly trace?: TraceFinding;
}

/** Looks at a wrong answer, or at the wrong answer to the control of a refusal; nothing where there is none. */
export function insightInto({ vector, verdict, reply, controlReply }: Outcome): Insight {
  if (!verdict.difference) return {};
  const isControl = vector.control !== undefined;
  const given = isControl ? controlReply : reply;
  const expect = isControl ? vector.control.expect : vector.expect;
  if (given?.kind !== 'result' || !expect) return {};
  const question = isControl ? controlOf(vector) : vector;
  const shape = shapeOf(vector.operation, expect, given.result);
  const trace = traceOf({ ...question, expect }, given);
  return { ...(shape && { shape }), ...(trace && { trace }) };
}

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
