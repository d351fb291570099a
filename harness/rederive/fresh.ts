/**
 * The same claims on other key pairs, buckets, names and contents: nobody passes by knowing the answers.
 *
 * @module
 */
import { dialectNamed } from '../dialects.ts';
import { ContentFolder } from '../suite/content.ts';
import type { Control, Input, KeyPair, Stages, Vector } from '../suite/vector.ts';
import { type Asked, answerTo, isRefused } from './answer.ts';
import { caughtMistakes, keepsClaim } from './claim.ts';
import { freshInput, freshKeys } from './fresh-input.ts';
import { type Rewording, signedAnew } from './signed-anew.ts';
import { type Substitution, substitution } from './substitution.ts';

const SVC = dialectNamed('svc');

/** So often other letters are tried until they say what a vector claims. */
const ATTEMPTS = 64;

/** What makes a vector what it is: a value that somebody published. */
const KNOWN_VALUE = /^(?:published,|known value|RFC )/;

/** The vectors on fresh data; those whose claim would not survive are the same objects as before. */
export async function freshVectors(
  vectors: readonly Vector[],
  seed: number,
): Promise<readonly Vector[]> {
  const contents = new ContentFolder();
  try {
    return vectors.map((vector) => freshVector(vector, seed, contents) ?? vector);
  } finally {
    contents.remove();
  }
}

/** Nothing for answers to open questions, over which nobody can fail, and where nothing can be replaced. */
function freshVector(vector: Vector, seed: number, contents: ContentFolder): Vector | undefined {
  if (vector.accept || KNOWN_VALUE.test(vector.source)) return undefined;
  const caught = caughtMistakes(vector);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const fresh = reworded(vector, substitution(`${seed} ${vector.id} ${attempt}`), contents);
    if (fresh && data(fresh) === data(vector)) return undefined;
    if (fresh && keepsClaim(vector, caught, fresh)) return fresh;
  }
  return undefined;
}

function data({ keys, input, control }: Vector): string {
  return JSON.stringify([keys, input, control?.input]);
}

/** The vector in other letters; nothing where it is not answered, or not refused, as it was. */
function reworded(
  vector: Vector,
  fresh: Substitution,
  contents: ContentFolder,
): Vector | undefined {
  const { expect, refuse, control, forged } = vector;
  const fileHost = String(vector.input['fileHost'] ?? '');
  const keysOf = (keys: KeyPair): KeyPair => freshKeys(keys, fresh);
  const inputOf = (input: Input): Input => freshInput(input, fresh, fileHost);
  const rewording: Rewording = {
    asked: (asked) => ({ ...asked, keys: keysOf(asked.keys), input: inputOf(asked.input) }),
    forged: (old) => ({
      ...old,
      ...(old.input && { input: inputOf(old.input) }),
      ...(old.keys && { keys: keysOf(old.keys) }),
    }),
    from: SVC,
    to: SVC,
  };
  const right = control && controlled(vector, control);
  const keys = keysOf(vector.keys);
  const input = signedAnew(vector, forged, rewording, right);
  const answer = answered({ operation: vector.operation, keys, input }, contents);
  const later = {
    ...vector,
    keys,
    input,
    ...(forged && { forged: rewording.forged(forged) }),
  };
  if (expect) return typeof answer === 'string' ? undefined : { ...later, expect: answer };
  if (answer !== refuse?.reason) return undefined;
  if (!control || !right) return later;
  const controlKeys = control.keys && keysOf(control.keys);
  const all = signedAnew(right, undefined, rewording, vector);
  const rightAnswer = answered(
    { operation: vector.operation, keys: controlKeys ?? keys, input: all },
    contents,
  );
  if (typeof rightAnswer === 'string') return undefined;
  const own = Object.keys(control.input).map((name) => [name, all[name]] as const);
  return {
    ...later,
    control: {
      input: Object.fromEntries(own),
      ...(controlKeys && { keys: controlKeys }),
      expect: rightAnswer,
    },
  };
}

function controlled({ operation, keys, input }: Vector, control: Control): Asked {
  return { operation, keys: control.keys ?? keys, input: { ...input, ...control.input } };
}

/** Every stage of the right answer, or the reason of the refusal. */
function answered(asked: Asked, contents: ContentFolder): Stages | string {
  const answer = answerTo({ ...asked, input: contents.expanded(asked.input) }, SVC);
  return isRefused(answer) ? answer.reason : answer;
}
