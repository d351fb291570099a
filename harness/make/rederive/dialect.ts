/**
 * Translates vectors into the words of another deployment: the same claims, with other headers and so other signatures.
 *
 * @module
 */

import { OPERATIONS } from '../../../reference/operations.ts';
import { urlEncode } from '../../../reference/signing/index.ts';
import {
  computeAnswer,
  computeAnswerForText,
  isRefused,
  replaceTexts,
} from '../../engine/answer.ts';
import { parseDialect } from '../../engine/dialects.ts';
import { toControlQuestion } from '../../engine/judge/outcome.ts';
import type { Dialect, Question } from '../../engine/protocol.ts';
import type { Alternative, Control, Stages, Vector } from '../../engine/vector.ts';
import { type Rewording, rewordInput } from './rewording.ts';

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
    asked: (asked) => ({ ...asked, input: replaceTexts(asked.input, translate) }),
    forged: (forged) => replaceTexts(forged, translate),
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
  const texts = replaceTexts(expected, (old) =>
    translateText(old, dialect)
      .replaceAll(before, after)
      .replaceAll(urlEncode(before), urlEncode(after)),
  );
  return { ...texts, digest: answer['digest'] };
}
