/**
 * Vectors changed for one server: signed with its key pair, for its bucket, by its clock.
 *
 * @module
 */
import { inDialect } from '../../../reference/signing/index.ts';
import { computeAnswer, isRefused } from '../../engine/answer.ts';
import { parseDialect } from '../../engine/dialects.ts';
import { toControlQuestion, toQuestion } from '../../engine/judge/outcome.ts';
import type { Input, KeyPair, Vector } from '../../engine/vector.ts';
import { findCaughtMistakes, keepsClaim } from '../rederive/fresh-vectors.ts';
import { type Rewording, rewordInput } from '../rederive/rewording.ts';
import { createSubstitution, freshInput, type Substitution } from '../rederive/substitution.ts';
import { type Place, relocateInput, replacePublicKey } from './relocated-input.ts';

const SVC = parseDialect('svc');

const { steps } = inDialect(SVC);

/** How many substitutions are tried until one keeps the claim of a vector. */
const ATTEMPTS = 24;

/** A vector for the server, or the reason why the server cannot be asked. */
export type Relocated =
  /** `isPartial`: with this key pair and bucket, the vector shows only a part of its claim. */
  { readonly vector: Vector; readonly isPartial: boolean } | { readonly unasked: string };

/** The first attempt keeps all letters. */
const keepLetters: Substitution = (text) => text;

/** @param vector a verify vector, in the words of the default dialect */
export function relocateVector(vector: Vector, keys: KeyPair, place: Place): Relocated {
  if (isOnTheSecond(vector)) {
    return { unasked: 'a server cannot be asked exactly at the second of expiry' };
  }
  const caught = vector.accept ? [] : findCaughtMistakes(vector);
  let partial: Vector | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const moved = rewordVector(vector, keys, createRewording(vector, keys, place, attempt));
    if (!isAsClaimed(moved)) continue;
    if (keepsClaim(vector, caught, moved)) {
      return { vector: withoutStages(moved), isPartial: false };
    }
    if (caught.some((mistake) => keepsClaim(moved, [mistake], moved))) partial ??= moved;
  }
  if (partial) return { vector: withoutStages(partial), isPartial: true };
  return { unasked: 'no request with this key pair, bucket and host shows its claim' };
}

/** A server shows only whether it accepts, and stages of §5.1 would reveal the private key. */
function withoutStages(vector: Vector): Vector {
  const { expect, keys } = vector;
  return expect ? { ...vector, expect: { publicKey: keys.publicKey } } : vector;
}

/** A signing vector, whose request is to be forged. Its expected stages stay as they were. */
export function relocateSigningVector(vector: Vector, keys: KeyPair, place: Place): Vector {
  const { asked } = createRewording(vector, keys, place, 0);
  const { control, ...rest } = { ...vector, keys };
  const moveInput = (input: Input): Input => unfoldHeaders(asked({ ...vector, input }).input);
  return {
    ...rest,
    input: moveInput(vector.input),
    ...(control && { control: { ...control, keys, input: moveInput(control.input) } }),
  };
}

/** The headers without folds, because servers may refuse them. The other claims of a vector also hold for unfolded lines. */
function unfoldHeaders(input: Input): Input {
  const { headers } = input;
  if (!Array.isArray(headers)) return input;
  const lines = headers as readonly (readonly [string, string])[];
  return { ...input, headers: lines.map(([name, value]) => [name, steps.unfold(value)]) };
}

/** Whether the request must be accepted at the second of its expiry. */
function isOnTheSecond({ input, expect }: Vector): boolean {
  const expires = /[?&]Expires=([0-9]+)/.exec(String(input.url ?? ''))?.[1];
  return expect !== undefined && expires !== undefined && expires === input.now;
}

function createRewording(vector: Vector, keys: KeyPair, place: Place, attempt: number): Rewording {
  const letters = attempt === 0 ? keepLetters : createSubstitution(`${vector.id} ${attempt}`);
  const old = vector.keys;
  const substitute: Substitution = (text) =>
    replacePublicKey(text, old.publicKey, keys.publicKey, letters);
  const from = findPlace(vector, letters);
  const moveInput = (input: Input): Input =>
    relocateInput(freshInput(input, substitute, from.fileHost), from, place, attempt);
  const movePrivateKey = ({ privateKey }: KeyPair): string => {
    if (privateKey === old.privateKey) return keys.privateKey;
    return privateKey === old.publicKey ? keys.publicKey : privateKey;
  };
  return {
    asked: (asked) => ({ ...asked, keys, input: moveInput(asked.input) }),
    forged: (forged) => ({
      ...forged,
      ...(forged.input && { input: moveInput(forged.input) }),
      ...(forged.keys && { keys: { ...keys, privateKey: movePrivateKey(forged.keys) } }),
    }),
    from: SVC,
    to: SVC,
  };
}

/** The place of the correctly signed request of a vector. */
function findPlace(vector: Vector, letters: Substitution): Place {
  const { input } = toControlQuestion(vector);
  const label = /^https?:\/\/([^./?#]*)\./.exec(String(input.url ?? ''))?.[1];
  const bucket = String(input.bucket ?? label ?? '');
  return {
    bucket: /^[a-z0-9-]+$/.test(bucket) ? letters(bucket) : '',
    fileHost: String(input.fileHost ?? ''),
    scheme: '',
    now: Number(vector.input.now ?? 0),
  };
}

function rewordVector(vector: Vector, keys: KeyPair, rewording: Rewording): Vector {
  const { operation, expect, accept, control, forged } = vector;
  const related = control && toControlQuestion(vector);
  const input = rewordInput(toQuestion(vector), forged, rewording, related);
  const accepted = { publicKey: keys.publicKey };
  const answer = expect && computeAnswer({ operation, keys, input }, SVC);
  return {
    ...vector,
    keys,
    input,
    ...(forged && { forged: rewording.forged(forged) }),
    ...(answer && { expect: isRefused(answer) ? accepted : answer }),
    ...(accept && {
      accept: Object.fromEntries(
        Object.entries(accept).map(([name, one]) => [
          name,
          one.expect ? { ...one, expect: accepted } : one,
        ]),
      ),
    }),
    ...(related && {
      control: { input: rewordInput(related, undefined, rewording, vector), expect: accepted },
    }),
  };
}

/** Whether the reference answers as the vector says. */
function isAsClaimed(vector: Vector): boolean {
  const { expect, refuse, control, keys } = vector;
  const answer = computeAnswer({ ...toQuestion(vector), keys }, SVC);
  if (expect) return !isRefused(answer);
  if (!refuse) return true;
  if (!isRefused(answer) || answer.reason !== refuse.reason) return false;
  return (
    control === undefined || !isRefused(computeAnswer({ ...toControlQuestion(vector), keys }, SVC))
  );
}
