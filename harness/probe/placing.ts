/**
 * Vectors as they are about one server: signed anew with its key pair, for its bucket, by its clock.
 *
 * @module
 */
import { inDialect } from '../../reference/signing/index.ts';
import { dialectNamed } from '../dialects.ts';
import { answerTo, isRefused } from '../rederive/answer.ts';
import { caughtMistakes, keepsClaim } from '../rederive/claim.ts';
import { freshInput } from '../rederive/fresh-input.ts';
import { type Rewording, signedAnew } from '../rederive/signed-anew.ts';
import { type Substitution, substitution } from '../rederive/substitution.ts';
import { controlOf, questionOf } from '../run.ts';
import type { Input, KeyPair, Vector } from '../suite/vector.ts';
import { type Place, placedInput } from './placed-input.ts';
import { withPublicKey } from './public-key-text.ts';

const SVC = dialectNamed('svc');

const { steps } = inDialect(SVC);

/** So often other letters are tried until they say what a vector claims. */
const ATTEMPTS = 24;

/** A vector about the server, or why there is none. */
export type Placed =
  /** `isPartial`: with this key pair and bucket it shows only some of what it claims. */
  { readonly vector: Vector; readonly isPartial: boolean } | { readonly unasked: string };

const OWN_LETTERS: Substitution = (text) => text;

/** A verify vector, in the words of the default dialect. */
export function placedVector(vector: Vector, keys: KeyPair, place: Place): Placed {
  if (isOnTheSecond(vector)) {
    return { unasked: 'nobody can stop the clock of a server at the second of expiry' };
  }
  const caught = vector.accept ? [] : caughtMistakes(vector);
  let partial: Vector | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const placed = reworded(vector, keys, rewordingFor(vector, keys, place, attempt));
    if (!isAsClaimed(placed)) continue;
    if (keepsClaim(vector, caught, placed)) {
      return { vector: withoutStages(placed), isPartial: false };
    }
    if (caught.some((mistake) => keepsClaim(placed, [mistake], placed))) partial ??= placed;
  }
  if (partial) return { vector: withoutStages(partial), isPartial: true };
  return { unasked: 'with this key pair, bucket and host no request shows what it claims' };
}

/** The stages of §5.1 hold a private key, and a server is judged by what it accepts alone. */
function withoutStages(vector: Vector): Vector {
  const { expect, keys } = vector;
  return expect ? { ...vector, expect: { publicKey: keys.publicKey } } : vector;
}

/** A signing vector, whose request is to be forged; what it expects is left as it was. */
export function placedSigner(vector: Vector, keys: KeyPair, place: Place): Vector {
  const { asked } = rewordingFor(vector, keys, place, 0);
  const { control, ...rest } = { ...vector, keys };
  const inputOf = (input: Input): Input => unfolded(asked({ ...vector, input }).input);
  return {
    ...rest,
    input: inputOf(vector.input),
    ...(control && { control: { ...control, keys, input: inputOf(control.input) } }),
  };
}

/** Servers may refuse folded lines, and whatever else is claimed is claimed of the unfolded ones as well. */
function unfolded(input: Input): Input {
  const { headers } = input;
  if (!Array.isArray(headers)) return input;
  const lines = headers as readonly (readonly [string, string])[];
  return { ...input, headers: lines.map(([name, value]) => [name, steps.unfold(value)]) };
}

/** Whether it is accepted at the moment of expiry itself. */
function isOnTheSecond({ input, expect }: Vector): boolean {
  const expires = /[?&]Expires=([0-9]+)/.exec(String(input['url'] ?? ''))?.[1];
  return expect !== undefined && expires !== undefined && expires === input['now'];
}

function rewordingFor(vector: Vector, keys: KeyPair, place: Place, attempt: number): Rewording {
  const letters = attempt === 0 ? OWN_LETTERS : substitution(`${vector.id} ${attempt}`);
  const old = vector.keys;
  const fresh: Substitution = (text) => withPublicKey(text, old.publicKey, keys.publicKey, letters);
  const from = placeOf(vector, letters);
  const inputOf = (input: Input): Input =>
    placedInput(freshInput(input, fresh, from.fileHost), from, place, attempt);
  const privateKeyOf = ({ privateKey }: KeyPair): string => {
    if (privateKey === old.privateKey) return keys.privateKey;
    return privateKey === old.publicKey ? keys.publicKey : privateKey;
  };
  return {
    asked: (asked) => ({ ...asked, keys, input: inputOf(asked.input) }),
    forged: (forged) => ({
      ...forged,
      ...(forged.input && { input: inputOf(forged.input) }),
      ...(forged.keys && { keys: { ...keys, privateKey: privateKeyOf(forged.keys) } }),
    }),
    from: SVC,
    to: SVC,
  };
}

/** Where the rightly signed request of a vector is about. */
function placeOf(vector: Vector, letters: Substitution): Place {
  const input: Input = { ...vector.input, ...vector.control?.input };
  const label = /^https?:\/\/([^./?#]*)\./.exec(String(input['url'] ?? ''))?.[1];
  const bucket = String(input['bucket'] ?? label ?? '');
  return {
    bucket: /^[a-z0-9-]+$/.test(bucket) ? letters(bucket) : '',
    fileHost: String(input['fileHost'] ?? ''),
    scheme: '',
    now: Number(vector.input['now'] ?? 0),
  };
}

function reworded(vector: Vector, keys: KeyPair, rewording: Rewording): Vector {
  const { operation, expect, accept, control, forged, keys: old } = vector;
  const right = control && { ...controlOf(vector), keys: control.keys ?? old };
  const input = signedAnew({ operation, keys: old, input: vector.input }, forged, rewording, right);
  const expected = { publicKey: keys.publicKey };
  const answer = expect && answerTo({ operation, keys, input }, SVC);
  return {
    ...vector,
    keys,
    input,
    ...(forged && { forged: rewording.forged(forged) }),
    ...(answer && { expect: isRefused(answer) ? expected : answer }),
    ...(accept && {
      accept: Object.fromEntries(
        Object.entries(accept).map(([name, answer]) => [
          name,
          answer.expect ? { ...answer, expect: expected } : answer,
        ]),
      ),
    }),
    ...(control &&
      right && {
        control: { input: signedAnew(right, undefined, rewording, vector), expect: expected },
      }),
  };
}

/** Whether the reference answers as the vector says. */
function isAsClaimed(vector: Vector): boolean {
  const { expect, refuse, control, keys } = vector;
  const answer = answerTo({ ...questionOf(vector), keys }, SVC);
  if (expect) return !isRefused(answer);
  if (!refuse) return true;
  if (!isRefused(answer) || answer.reason !== refuse.reason) return false;
  return control === undefined || !isRefused(answerTo({ ...controlOf(vector), keys }, SVC));
}
