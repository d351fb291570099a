/**
 * Whether other data still say what a vector claims.
 *
 * @module
 */
import { MISTAKES, type Mistake, touches } from '../../reference/mistakes/index.ts';
import type { Question, Reply } from '../adapter/messages.ts';
import { mistakenReply, stepsUsed } from '../diagnosis/mistaken-reply.ts';
import { dialectNamed } from '../dialects.ts';
import { judge } from '../judge/judge.ts';
import type { Vector } from '../suite/vector.ts';
import { signs } from './reworded.ts';

const SVC = dialectNamed('svc');

/** Ids that speak of signs which only some signatures, digests and encodings have. */
const OF_SIGNS = /plus|slash|hyphen|underscore|pad|equals|alphabet|base64/;

/** Whether the new vector catches every known mistake that the old one catches, and shows the signs that its id speaks of. */
export function keepsClaim(old: Vector, caught: readonly Mistake[], fresh: Vector): boolean {
  const isShown =
    !OF_SIGNS.test(old.id) ||
    signs(old.operation, old.expect) === signs(fresh.operation, fresh.expect);
  return isShown && caught.every((mistake) => catches(fresh, mistake));
}

/**
 * The known mistakes against a vector's own rules that it catches; what else it catches, it catches by chance.
 *
 * Contents are left out: their mistakes look at nothing but sizes.
 */
export function caughtMistakes(vector: Vector): readonly Mistake[] {
  if (vector.input['content'] !== undefined) return [];
  const used = new Set(questionsOf(vector).flatMap((question) => [...stepsUsed(question, SVC)]));
  return MISTAKES.filter(
    (mistake) =>
      vector.rules.includes(mistake.rule) && touches(mistake, used) && catches(vector, mistake),
  );
}

function catches(vector: Vector, mistake: Mistake): boolean {
  const [reply, control] = questionsOf(vector).map((question) =>
    mistakenReply(question, [mistake], SVC),
  );
  return judge(vector, reply as Reply, control).status !== 'pass';
}

function questionsOf({ operation, keys, input, control }: Vector): readonly Question[] {
  const own = { operation, keys, input };
  return control
    ? [own, { operation, keys: control.keys ?? keys, input: { ...input, ...control.input } }]
    : [own];
}
