/**
 * A vector on other data: other key pairs, buckets, names and contents, of the same form.
 *
 * @module
 */
import { dialectNamed } from '../dialects.ts';
import type { ContentFolder } from '../suite/content.ts';
import { resultStages } from '../suite/operations.ts';
import type { Control, Input, KeyPair, Stages, Vector } from '../suite/vector.ts';
import { type Asked, answerTo, isRefused } from './answer.ts';
import { freshInput, freshKeys } from './fresh-input.ts';
import { type Rewording, signedAnew } from './signed-anew.ts';
import type { Substitution } from './substitution.ts';

const SVC = dialectNamed('svc');

/** So often other letters are tried until they say what a vector claims. */
export const ATTEMPTS = 64;

/** What makes a vector what it is: a published value. */
const KNOWN_VALUE = /^(?:published,|known value|RFC )/;

/** Answers to open questions cannot fail, and published values have no other data. */
export function canBeReworded({ accept, source }: Vector): boolean {
  return !accept && !KNOWN_VALUE.test(source);
}

export function hasOtherData(old: Vector, fresh: Vector): boolean {
  const data = ({ keys, input, control }: Vector): string =>
    JSON.stringify([keys, input, control?.input]);
  return data(fresh) !== data(old);
}

/** The signs in the results, and in the signature that they come from, each once. */
export function signs(operation: string, stages: Stages | undefined): string {
  const texts = [...resultStages(operation), 'signature'].map((stage) => stages?.[stage] ?? '');
  return [...new Set(texts.join('').match(/[+/_=-]/g) ?? [])].sort().join('');
}

/** The vector in other letters; nothing where it is not answered, or not refused, as it was. */
export function reworded(
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
