/**
 * Rewrites questions for another dialect, with other data or for another server, and computes the signatures in them again.
 *
 * @module
 */

import { isVerifier, OPERATIONS } from '../../../reference/operations.ts';
import { SVC, urlEncode } from '../../../reference/signing/index.ts';
import { mapTexts } from '../../../reference/values.ts';
import {
  computeAnswer,
  computeAnswerForText,
  forgeSignature,
  isRefused,
} from '../../engine/answer.ts';
import { toControlQuestion } from '../../engine/judge/outcome.ts';
import type { Dialect, Question } from '../../engine/protocol.ts';
import type { Alternative, Forged, Input, KeyPair, Stages, Vector } from '../../engine/vector.ts';

/** How the data of a question changes. */
export interface Rewording {
  readonly input: (input: Input) => Input;
  readonly keys: (keys: KeyPair) => KeyPair;
  /** The keys of a forger; by default, they change as the others. */
  readonly forgedKeys?: (keys: KeyPair) => KeyPair;
  /** The dialect of the new words. The old ones are in the default dialect. */
  readonly dialect: Dialect;
}

const rewordForged = (forged: Forged, { input, keys, forgedKeys = keys }: Rewording): Forged => ({
  ...forged,
  ...(forged.input && { input: input(forged.input) }),
  ...(forged.keys && { keys: forgedKeys(forged.keys) }),
});

/** Private-use characters: no vector contains them, and no rewording changes them. */
const FIRST_MARK = 0xf0000;
const STAND_IN = 'signature';

/** A text contains a signature URL-encoded, URL-encoded with lower-case escapes, or as it is. */
const ENCODINGS: readonly ((signature: string) => string)[] = [
  urlEncode,
  (signature) => urlEncode(signature).replace(/%../g, (code) => code.toLowerCase()),
  (signature) => signature,
];

/**
 * A vector, with its old answers, and the question of its control in other words. The signature of a verify operation is made
 * again, correct or forged as before.
 */
export function rewordVector(
  vector: Vector,
  rewording: Rewording,
): { readonly asked: Vector; readonly control?: Question } {
  const { forged } = vector;
  const control = vector.control && toControlQuestion(vector);
  // A malformed request may contain the signature of the corrected one.
  const correct = [vector, ...(control ? [control] : [])].map((own): Signed => [own, {}]);
  const signed: readonly Signed[] = forged ? [[vector, forged], ...correct] : correct;
  const reword = <Asked extends Question>(own: Asked, within: readonly Signed[]): Asked => ({
    ...own,
    keys: rewording.keys(own.keys),
    input: rewordInput(own, rewording, within),
  });
  return {
    asked: {
      ...reword(vector, signed),
      ...(forged && { forged: rewordForged(forged, rewording) }),
    },
    ...(control && { control: reword(control, correct.toReversed()) }),
  };
}

/** A question whose signature an input may contain, as it is forged. */
type Signed = readonly [question: Question, forged: Forged];

function rewordInput(
  { operation, input }: Question,
  rewording: Rewording,
  signed: readonly Signed[],
): Input {
  if (!isVerifier(operation)) return rewording.input(input);
  // Marks protect the places of the signatures, whose letters the rewording would change.
  const places = signed
    .flatMap(([own, forged]) => createReplacement(own, forged, rewording) ?? [])
    // The longest signature first, because one may be the beginning of another.
    .sort((a, b) => b.before.length - a.before.length)
    .flatMap(({ before, after }, i) =>
      ENCODINGS.map((encode, j) => ({
        old: encode(before),
        mark: String.fromCodePoint(FIRST_MARK + i * ENCODINGS.length + j),
        fresh: (): string => encode(after() ?? before),
      })),
    );
  const marked = mapTexts(input, (text) =>
    places.reduce((rest, { old, mark }) => rest.replaceAll(old, mark), text),
  );
  return mapTexts(rewording.input(marked), (text) =>
    places.reduce(
      (rest, { mark, fresh }) => (rest.includes(mark) ? rest.replaceAll(mark, fresh) : rest),
      text,
    ),
  );
}

/** The signature that an input may contain, and a function that makes the one that replaces it. */
function createReplacement(question: Question, forged: Forged, rewording: Rewording) {
  const before = forgeSignature(question, forged, SVC);
  if (before === undefined) return undefined;
  const after = (): string | undefined => {
    const { keys, input } = withStandIn(question, before);
    const asked = { ...question, keys: rewording.keys(keys), input: rewording.input(input) };
    return forgeSignature(asked, rewordForged(forged, rewording), rewording.dialect);
  };
  return { before, after };
}

/** The correct signature does not depend on the one in the input, but the rewording must not change that one. */
function withStandIn(asked: Question, before: string): Question {
  const input = mapTexts(asked.input, (text) =>
    ENCODINGS.reduce((rest, encode) => rest.replaceAll(encode(before), STAND_IN), text),
  );
  return { ...asked, input };
}

/** Replaces every word of the default dialect and computes every expected value again. */
export function translateVectors(dialect: Dialect, vectors: readonly Vector[]): readonly Vector[] {
  return vectors.map((vector) => translateVector(vector, dialect));
}

function translateVector(vector: Vector, dialect: Dialect): Vector {
  if (!OPERATIONS[vector.operation]?.stages.includes('canonicalHeaders')) return vector;
  const { expect, accept, control } = vector;
  const translate = (text: string): string => translateText(text, dialect);
  const input = (old: Input): Input => mapTexts(old, translate);
  const reworded = rewordVector(vector, { input, keys: (keys) => keys, dialect });
  const { asked } = reworded;
  return {
    ...vector,
    input: asked.input,
    ...(expect && { expect: computeExpected(asked, expect, dialect) }),
    ...(accept && {
      accept: mapAlternatives(accept, (old) => computeAlternative(asked, old, dialect)),
    }),
    ...(control &&
      reworded.control && {
        control: {
          ...control,
          input: reworded.control.input,
          expect: computeExpected(reworded.control, control.expect, dialect),
        },
      }),
  };
}

/** Accepted answers to an open question with other expected stages. */
export function mapAlternatives(
  accept: Readonly<Record<string, Alternative>>,
  change: (expect: Stages) => Stages,
): Readonly<Record<string, Alternative>> {
  const entries = Object.entries(accept).map(([name, answer]): [string, Alternative] => [
    name,
    answer.expect ? { ...answer, expect: change(answer.expect) } : answer,
  ]);
  return Object.fromEntries(entries);
}

/** Replaces the header prefix, in the same case; the query parameter; and the scheme at the start of a value. */
function translateText(
  text: string,
  { scheme, headerPrefix, publicKeyParameter }: Dialect,
): string {
  return text
    .replace(/x-svc-/gi, (prefix) => {
      if (prefix === prefix.toLowerCase()) return headerPrefix.toLowerCase();
      return prefix === prefix.toUpperCase() ? headerPrefix.toUpperCase() : headerPrefix;
    })
    .replaceAll(SVC.publicKeyParameter, publicKeyParameter)
    .replace(/^([ \t]*)Svc(?= |$)/, `$1${scheme}`);
}

function computeExpected(asked: Question, expected: Stages, dialect: Dialect): Stages {
  const answer = computeAnswer(asked, dialect);
  return isRefused(answer) ? expected : answer;
}

/** An accepted answer to an open question: its texts are translated, and the translated string to sign is signed. */
function computeAlternative(asked: Question, expected: Stages, dialect: Dialect): Stages {
  const text = expected['stringToSign'];
  const before = expected['signature'];
  if (typeof text !== 'string' || typeof before !== 'string') return expected;
  if (isVerifier(asked.operation)) return computeExpected(asked, expected, dialect);
  const answer = computeAnswerForText(asked, translateText(text, dialect), dialect);
  if (isRefused(answer)) return expected;
  const after = String(answer['signature']);
  const texts = mapTexts(expected, (old) =>
    translateText(old, dialect)
      .replaceAll(before, after)
      .replaceAll(urlEncode(before), urlEncode(after)),
  );
  return { ...texts, digest: answer['digest'] };
}
