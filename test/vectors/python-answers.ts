/**
 * The answers of the implementation in Python, beside those that vectors state.
 *
 * @module
 */
import { normalizeStage } from '../../dist/harness/engine/judge/comparison.js';
import { toControlQuestion, toQuestion } from '../../dist/harness/engine/judge/outcome.js';
import { LIMITS } from '../../dist/harness/respondents/adapter/manifest.js';
import { Pool } from '../../dist/harness/respondents/adapter/pool.js';
import type { Dialect, Question } from '../../harness/engine/protocol.ts';
import type { Stages, Vector } from '../../harness/engine/vector.ts';
import { PYTHON } from '../python.ts';

/** A question whose answer a vector states: the stages, or the reason to refuse. */
interface Stated {
  readonly id: string;
  readonly question: Question;
  readonly answer: Stages | string;
}

function stated(vector: Vector): readonly Stated[] {
  const { id, expect: expected, refuse, control } = vector;
  const answer = expected ?? refuse?.reason;
  return [
    ...(answer === undefined ? [] : [{ id, question: toQuestion(vector), answer }]),
    ...(control ? [{ id, question: toControlQuestion(vector), answer: control.expect }] : []),
  ];
}

/** Asks about all vectors and controls; returns their number, and what differs. */
export async function askPython(
  dialect: Dialect,
  vectors: readonly Vector[],
): Promise<{ readonly asked: number; readonly differences: readonly object[] }> {
  const pool = new Pool([PYTHON, 'adapters/python/adapter.py'], dialect, LIMITS, 1);
  try {
    await pool.hello();
    const all = vectors.flatMap(stated);
    const replies = await pool.ask(all.map(({ question }) => question));
    const differences = all.flatMap(({ id, question, answer }, i): readonly object[] => {
      const reply = replies[i];
      if (typeof answer === 'string') {
        const isRefused = reply?.kind === 'refused' && reply.reason === answer;
        return isRefused ? [] : [{ id, answer, reply }];
      }
      if (reply?.kind !== 'result') return [{ id, reply }];
      const given: Stages = { ...reply.trace, ...reply.result };
      const form = (stage: string, of: Stages): string =>
        normalizeStage(question.operation, stage, of[stage]);
      return Object.keys(answer)
        .filter((stage) => form(stage, given) !== form(stage, answer))
        .map((stage) => ({ id, stage, stated: answer[stage], given: given[stage] }));
    });
    return { asked: all.length, differences };
  } finally {
    await pool.close();
  }
}
