/**
 * The vectors in the words of another deployment: the same claims, other headers and so other signatures.
 *
 * @module
 */
import { urlEncode } from '../../reference/signing/index.ts';
import type { Dialect } from '../adapter/messages.ts';
import { dialectNamed } from '../dialects.ts';
import { OPERATIONS } from '../suite/operations.ts';
import type { Alternative, Control, Stages, Vector } from '../suite/vector.ts';
import { type Asked, answerSigning, answerTo, isRefused, withTexts } from './answer.ts';
import { type Rewording, signedAnew } from './signed-anew.ts';

const SVC = dialectNamed('svc');

/** The vectors with every word of the default dialect replaced, and every expected value computed anew. */
export function inWordsOf(dialect: Dialect, vectors: readonly Vector[]): readonly Vector[] {
  return vectors.map((vector) => translated(vector, dialect));
}

function translated(vector: Vector, dialect: Dialect): Vector {
  if (!OPERATIONS[vector.operation]?.stages.includes('canonicalHeaders')) return vector;
  const words = (text: string): string => inWords(text, dialect);
  const asked: Asked = vector;
  const input = signedAnew(asked, vector.forged, rewordingInto(dialect));
  const { expect, accept, control } = vector;
  return {
    ...vector,
    input,
    ...(expect && { expect: expectedAnew({ ...asked, input }, expect, dialect) }),
    ...(accept && {
      accept: Object.fromEntries(
        Object.entries(accept).map(([name, answer]): [string, Alternative] => [
          name,
          answer.expect
            ? {
                ...answer,
                expect: alternativeAnew({ ...asked, input }, answer.expect, words, dialect),
              }
            : answer,
        ]),
      ),
    }),
    ...(control && {
      control: controlAnew(vector, control, dialect),
    }),
  };
}

function controlAnew(vector: Vector, control: Control, dialect: Dialect): Control {
  const asked: Asked = {
    ...vector,
    keys: control.keys ?? vector.keys,
    input: { ...vector.input, ...control.input },
  };
  const input = signedAnew(asked, undefined, rewordingInto(dialect));
  return { ...control, input, expect: expectedAnew({ ...asked, input }, control.expect, dialect) };
}

/** `X-Svc-` in the case in which it stands, the query parameter, and the scheme where a value starts with it. */
function inWords(text: string, { scheme, headerPrefix, publicKeyParameter }: Dialect): string {
  return text
    .replace(/x-svc-/gi, (prefix) => {
      if (prefix === prefix.toLowerCase()) return headerPrefix.toLowerCase();
      return prefix === prefix.toUpperCase() ? headerPrefix.toUpperCase() : headerPrefix;
    })
    .replaceAll(SVC.publicKeyParameter, publicKeyParameter)
    .replace(/^([ \t]*)Svc(?= |$)/, `$1${scheme}`);
}

function rewordingInto(dialect: Dialect): Rewording {
  const words = (text: string): string => inWords(text, dialect);
  return {
    asked: (asked) => ({ ...asked, input: withTexts(asked.input, words) }),
    forged: (forged) => withTexts(forged, words),
    from: SVC,
    to: dialect,
  };
}

function expectedAnew(asked: Asked, expected: Stages, dialect: Dialect): Stages {
  const answer = answerTo(asked, dialect);
  return isRefused(answer) ? expected : answer;
}

/** Another answer to an open question: the same texts in other words, around the signature of the text in other words. */
function alternativeAnew(
  asked: Asked,
  expected: Stages,
  words: (text: string) => string,
  dialect: Dialect,
): Stages {
  const text = expected['stringToSign'];
  const before = expected['signature'];
  if (typeof text !== 'string' || typeof before !== 'string') return expected;
  if (asked.operation.startsWith('verify-')) return expectedAnew(asked, expected, dialect);
  const answer = answerSigning(asked, words(text), dialect);
  if (isRefused(answer)) return expected;
  const after = String(answer['signature']);
  const texts = withTexts(expected, (old) =>
    words(old).replaceAll(before, after).replaceAll(urlEncode(before), urlEncode(after)),
  );
  return { ...texts, digest: answer['digest'] };
}
