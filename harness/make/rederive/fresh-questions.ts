/**
 * Vectors on fresh data, and a few questions from them for every run: an adapter that replays published answers fails them.
 *
 * @module
 */
import { isVerifier } from '../../../reference/operations.ts';
import { computeAnswer, isRefused } from '../../engine/answer.ts';
import { parseDialect } from '../../engine/dialects.ts';
import type { Question } from '../../engine/protocol.ts';
import { contentSize, pickMembers } from '../../engine/suite-data.ts';
import type { Stages, Vector } from '../../engine/vector.ts';
import { rewordVector } from './rewording.ts';
import {
  createRandom,
  createSubstitution,
  freshInput,
  freshKeys,
  type Substitution,
} from './substitution.ts';

const SVC = parseDialect('svc');

/** The vector with other key pairs, buckets, names and contents; undefined if it has no such data, or no attempt is acceptable. */
export function findFresh(
  vector: Vector,
  seed: number,
  attempts: number,
  isAcceptable: (fresh: Vector) => boolean,
): Vector | undefined {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const fresh = replaceData(vector, createSubstitution(`${seed} ${vector.id} ${attempt}`));
    if (fresh && !hasOtherData(vector, fresh)) return undefined;
    if (fresh && isAcceptable(fresh)) return fresh;
  }
  return undefined;
}

/** The sources of vectors that exist for their published value. */
const PUBLISHED = /^(?:published,|known value|RFC )/;

/** Answers to open questions cannot fail, and published values have no other data. */
export function canBeFresh({ accept, source }: Vector): boolean {
  return !accept && !PUBLISHED.test(source);
}

function hasOtherData(old: Vector, fresh: Vector): boolean {
  const data = ({ keys, input, control }: Vector): string =>
    JSON.stringify([keys, input, control?.input]);
  return data(fresh) !== data(old);
}

/** The vector on other data; undefined if the reference no longer answers, or no longer refuses, as the vector says. */
function replaceData(vector: Vector, substitute: Substitution): Vector | undefined {
  const { expect, refuse, control } = vector;
  const fileHost = String(vector.input.fileHost ?? '');
  const { asked: fresh, control: corrected } = rewordVector(vector, {
    input: (old) => freshInput(old, substitute, fileHost),
    keys: (old) => freshKeys(old, substitute),
    dialect: SVC,
  });
  const answer = answerOrReason(fresh);
  if (expect) return typeof answer === 'string' ? undefined : { ...fresh, expect: answer };
  if (answer !== refuse?.reason) return undefined;
  if (!control || !corrected) return fresh;
  const controlAnswer = answerOrReason(corrected);
  if (typeof controlAnswer === 'string') return undefined;
  return {
    ...fresh,
    control: {
      input: pickMembers(corrected.input, Object.keys(control.input)),
      ...(control.keys && { keys: corrected.keys }),
      expect: controlAnswer,
    },
  };
}

/** Every stage of the correct answer, or the reason of the refusal. */
function answerOrReason(asked: Question): Stages | string {
  const answer = computeAnswer(asked, SVC);
  return isRefused(answer) ? answer.reason : answer;
}

/** How many substitutions are tried for a question; then another vector is taken. */
const QUESTION_ATTEMPTS = 8;

/** How many questions about one operation ask for an answer; fewer if there are many operations, to save time. */
const MOST_ANSWERS = 3;
const ANSWERS_IN_ALL = 24;

/** How many questions about a verify operation ask for a refusal. */
const REFUSALS = 1;

/** Seeds have at most six digits, as those of `--fresh`. */
const SEEDS = 999_999;

/** Depends only on the versions of the suite and of the adapter, so that repeated runs give the same verdicts. */
export function deriveSeed(
  suite: string,
  { name, version }: { readonly name: string; readonly version: string },
): number {
  return 1 + Math.floor(SEEDS * createRandom(JSON.stringify([suite, name, version]))());
}

/**
 * A few questions on fresh data for each operation among the vectors, about as many topics as possible.
 *
 * The contents of a question depend only on the seed and on the id of its vector.
 */
export function freshQuestions(vectors: readonly Vector[], seed: number): readonly Vector[] {
  // Recipes may describe many megabytes, which take time.
  const usable = vectors.filter((one) => contentSize(one.input) === 0 && canBeFresh(one));
  const operations = [...new Set(usable.map(({ operation }) => operation))];
  const each = Math.min(MOST_ANSWERS, Math.floor(ANSWERS_IN_ALL / operations.length));
  return operations.flatMap((name) => {
    const own = shuffleByTopic(
      usable.filter(({ operation }) => operation === name),
      seed,
    );
    const answers = own.filter(({ expect }) => expect);
    // A verifier that accepts all unknown requests shows in a refusal only. The refusals of a signer say little.
    const refusals = isVerifier(name) ? own.filter(({ refuse }) => refuse) : [];
    return [...createQuestions(answers, each, seed), ...createQuestions(refusals, REFUSALS, seed)];
  });
}

/** A random order with the first vector of each topic before the second of any topic. */
function shuffleByTopic(vectors: readonly Vector[], seed: number): readonly Vector[] {
  const shuffled = vectors
    .map((vector) => ({ vector, at: createRandom(`${seed} ${vector.id}`)() }))
    .sort((a, b) => a.at - b.at);
  const counts = new Map<string, number>();
  const ranked = shuffled.map(({ vector }) => {
    const topic = vector.id.split('/')[1] ?? '';
    const earlier = counts.get(topic) ?? 0;
    counts.set(topic, earlier + 1);
    return { vector, earlier };
  });
  return ranked.sort((a, b) => a.earlier - b.earlier).map(({ vector }) => vector);
}

function createQuestions(
  vectors: readonly Vector[],
  count: number,
  seed: number,
): readonly Vector[] {
  const questions: Vector[] = [];
  for (const vector of vectors) {
    if (questions.length === count) break;
    const fresh = findFresh(vector, seed, QUESTION_ATTEMPTS, hasPlainResult);
    if (fresh) questions.push({ ...fresh, id: `fresh/${vector.id}` });
  }
  return questions;
}

/** Stages in Base64: whether they contain "+", "/", "-" or "_" depends on the data. */
const IN_BASE64 = ['signature', 'etag', 'policy', 'value'];

/** Whether the result has letters, digits and padding only: other vectors are about the other characters. */
function hasPlainResult({ expect = {} }: Vector): boolean {
  return IN_BASE64.every((stage) => !/[+/_-]/.test(String(expect[stage] ?? '')));
}
