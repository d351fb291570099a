/**
 * What one failure shows by itself: the shape of its answer, then its trace.
 *
 * @module
 */
import { controlOf, type Outcome } from '../run.ts';
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
