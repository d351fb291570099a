/**
 * Vectors on fresh data that keep their claims: they catch the same mistakes as before.
 *
 * Runs load this module for `--fresh` only, because it needs all mistakes.
 *
 * @module
 */
import { MISTAKES, type Mistake, touches } from '../../../reference/mistakes/index.ts';
import { resultStages } from '../../../reference/operations.ts';
import { SVC } from '../../../reference/signing/index.ts';
import { findUsedSteps, replyWithMistakes } from '../../engine/diagnosis/reference-reply.ts';
import { getOrInsert } from '../../engine/get-or-insert.ts';
import { judge } from '../../engine/judge/judge.ts';
import { toControlQuestion, toQuestion } from '../../engine/judge/outcome.ts';
import type { Question, Reply } from '../../engine/protocol.ts';
import type { Vector } from '../../engine/vector.ts';
import { canBeFresh, findFresh } from './fresh-questions.ts';

/** How many substitutions are tried until one keeps the claim of a vector. */
const ATTEMPTS = 64;

/** The vectors on fresh data. A vector whose claim no fresh data keeps stays the same object. */
export function freshVectors(vectors: readonly Vector[], seed: number): readonly Vector[] {
  return vectors.map((vector) => {
    if (!canBeFresh(vector)) return vector;
    const caught = findCaughtMistakes(vector);
    const keeps = (fresh: Vector): boolean => keepsClaim(vector, caught, fresh);
    return findFresh(vector, seed, ATTEMPTS, keeps) ?? vector;
  });
}

/** Ids of vectors about characters that only some signatures, digests and encodings contain. */
const ABOUT_CHARACTERS = /plus|slash|hyphen|underscore|pad|equals|alphabet|base64/;

/** Whether the new vector catches every mistake that the old one catches, and has the characters that its id names. */
export function keepsClaim(old: Vector, caught: readonly Mistake[], fresh: Vector): boolean {
  const hasCharacters =
    !ABOUT_CHARACTERS.test(old.id) || specialCharacters(old) === specialCharacters(fresh);
  return hasCharacters && caught.every((mistake) => catches(fresh, mistake));
}

/** The special characters of Base64 in the results and in the signature, each once. */
function specialCharacters({ operation, expect }: Vector): string {
  const texts = [...resultStages(operation), 'signature'].map((stage) => expect?.[stage] ?? '');
  return [...new Set(texts.join('').match(/[+/_=-]/g) ?? [])].sort().join('');
}

/** The mistakes that a vector catches are the same for every seed and every server. */
const CAUGHT = new WeakMap<Vector, readonly Mistake[]>();

/**
 * The known mistakes against a vector's own rules that the vector catches. It catches others by chance only.
 *
 * Contents are left out: mistakes with contents depend only on sizes, which stay the same.
 */
export function findCaughtMistakes(vector: Vector): readonly Mistake[] {
  return getOrInsert(CAUGHT, vector, () => tryMistakes(vector));
}

function tryMistakes(vector: Vector): readonly Mistake[] {
  if (vector.input.content !== undefined) return [];
  const used = new Set(
    questionsOf(vector).flatMap((question) => [...findUsedSteps(question, SVC)]),
  );
  return MISTAKES.filter(
    (mistake) =>
      vector.rules.includes(mistake.rule) && touches(mistake, used) && catches(vector, mistake),
  );
}

function catches(vector: Vector, mistake: Mistake): boolean {
  const ask = (question: Question): Reply => replyWithMistakes(question, [mistake], SVC);
  const control = vector.control && ask(toControlQuestion(vector));
  return judge(vector, ask(toQuestion(vector)), control).status !== 'pass';
}

function questionsOf(vector: Vector): readonly Question[] {
  return vector.control ? [toQuestion(vector), toControlQuestion(vector)] : [toQuestion(vector)];
}
