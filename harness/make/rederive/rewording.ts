/**
 * Inputs in other words: another dialect, other data, another server. Signatures in them are made again.
 *
 * Vectors are translated into the words of another deployment: the same claims, with other headers and so other signatures.
 *
 * @module
 */

import { OPERATIONS } from '../../../reference/operations.ts';
import { urlEncode } from '../../../reference/signing/index.ts';
import { mapTexts } from '../../../reference/values.ts';
import {
  computeAnswer,
  computeAnswerForText,
  computeSignature,
  forgeSignature,
  isRefused,
} from '../../engine/answer.ts';
import { parseDialect } from '../../engine/dialects.ts';
import { toControlQuestion } from '../../engine/judge/outcome.ts';
import type { Dialect, Question } from '../../engine/protocol.ts';
import type { Alternative, Control, Forged, Input, Stages, Vector } from '../../engine/vector.ts';

/** How a question changes. */
export interface Rewording {
  readonly asked: (asked: Question) => Question;
  readonly forged: (forged: Forged) => Forged;
  readonly from: Dialect;
  readonly to: Dialect;
}

/** A signature that an input may contain, and the one that replaces it. */
interface Replacement {
  readonly before: string;
  readonly after: () => string | undefined;
}

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
 * The input in other words. The signature of a verify operation is made again, correct or forged as before.
 *
 * @param related the corrected request, whose signature a malformed one may contain
 */
export function rewordInput(
  asked: Question,
  forged: Forged | undefined,
  rewording: Rewording,
  related?: Question,
): Input {
  if (!asked.operation.startsWith('verify-')) return rewording.asked(asked).input;
  // Marks protect the places of the signatures, whose letters the rewording would change.
  const places = createReplacements(asked, forged, rewording, related).flatMap(
    ({ before, after }, i) =>
      ENCODINGS.map((encode, j) => ({
        old: encode(before),
        mark: String.fromCodePoint(FIRST_MARK + i * ENCODINGS.length + j),
        fresh: (): string => encode(after() ?? before),
      })),
  );
  const marked = mapTexts(asked.input, (text) =>
    places.reduce((rest, { old, mark }) => rest.replaceAll(old, mark), text),
  );
  const { input } = rewording.asked({ ...asked, input: marked });
  return mapTexts(input, (text) =>
    places.reduce(
      (rest, { mark, fresh }) => (rest.includes(mark) ? rest.replaceAll(mark, fresh()) : rest),
      text,
    ),
  );
}

/** The longest signature first, because one may be the beginning of another. */
function createReplacements(
  asked: Question,
  forged: Forged | undefined,
  rewording: Rewording,
  related: Question | undefined,
): readonly Replacement[] {
  const { from, to } = rewording;
  const create = (
    own: Question,
    sign: (asked: Question, dialect: Dialect) => string | undefined,
    signAfter = sign,
  ): readonly Replacement[] => {
    const before = sign(own, from);
    if (before === undefined) return [];
    return [{ before, after: () => signAfter(rewording.asked(withStandIn(own, before)), to) }];
  };
  return [
    ...(forged
      ? create(
          asked,
          (own, dialect) => forgeSignature(own, forged, dialect),
          (own, dialect) => forgeSignature(own, rewording.forged(forged), dialect),
        )
      : []),
    ...create(asked, computeSignature),
    ...(related ? create(related, computeSignature) : []),
  ].sort((a, b) => b.before.length - a.before.length);
}

/** The correct signature does not depend on the one in the input, but the rewording must not change that one. */
function withStandIn(asked: Question, before: string): Question {
  const input = mapTexts(asked.input, (text) =>
    ENCODINGS.reduce((rest, encode) => rest.replaceAll(encode(before), STAND_IN), text),
  );
  return { ...asked, input };
}

const SVC = parseDialect('svc');

/** Replaces every word of the default dialect and computes every expected value again. */
export function translateVectors(dialect: Dialect, vectors: readonly Vector[]): readonly Vector[] {
  return vectors.map((vector) => translateVector(vector, dialect));
}

function translateVector(vector: Vector, dialect: Dialect): Vector {
  if (!OPERATIONS[vector.operation]?.stages.includes('canonicalHeaders')) return vector;
  const { expect, accept, control } = vector;
  const input = rewordInput(vector, vector.forged, createTranslation(dialect));
  const asked: Question = { ...vector, input };
  return {
    ...vector,
    input,
    ...(expect && { expect: computeExpected(asked, expect, dialect) }),
    ...(accept && { accept: translateAlternatives(asked, accept, dialect) }),
    ...(control && { control: translateControl(vector, control, dialect) }),
  };
}

function translateControl(vector: Vector, control: Control, dialect: Dialect): Control {
  const asked = toControlQuestion(vector);
  const input = rewordInput(asked, undefined, createTranslation(dialect));
  return {
    ...control,
    input,
    expect: computeExpected({ ...asked, input }, control.expect, dialect),
  };
}

function translateAlternatives(
  asked: Question,
  accept: Readonly<Record<string, Alternative>>,
  dialect: Dialect,
): Readonly<Record<string, Alternative>> {
  const entries = Object.entries(accept).map(([name, answer]): [string, Alternative] => [
    name,
    answer.expect
      ? { ...answer, expect: computeAlternative(asked, answer.expect, dialect) }
      : answer,
  ]);
  return Object.fromEntries(entries);
}

function createTranslation(dialect: Dialect): Rewording {
  const translate = (text: string): string => translateText(text, dialect);
  return {
    asked: (asked) => ({ ...asked, input: mapTexts(asked.input, translate) }),
    forged: (forged) => mapTexts(forged, translate),
    from: SVC,
    to: dialect,
  };
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
  if (asked.operation.startsWith('verify-')) return computeExpected(asked, expected, dialect);
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
