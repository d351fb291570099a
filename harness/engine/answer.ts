/**
 * Computes correct answers for inputs without a recorded answer: in another dialect, with other keys, for a new vector.
 *
 * @module
 */
import { answerQuestion } from '../../reference/answers.ts';
import { decodeBase64 } from '../../reference/contents.ts';
import { hexadecimal } from '../../reference/signing/bytes.ts';
import { inDialect, type Steps, urlEncode, withSteps } from '../../reference/signing/index.ts';
import type { Dialect, Question } from './protocol.ts';
import type { Forged, Stages } from './vector.ts';

export type Refused = { readonly reason: string; readonly message: string };

/** Every stage of the correct answer, or why the reference refuses the input. */
export function computeAnswer(
  question: Question,
  dialect: Dialect,
  swap?: Partial<Steps>,
): Stages | Refused {
  const correct = inDialect(dialect);
  const context = swap ? withSteps(correct, swap) : correct;
  const { operation, input, keys } = question;
  const answer = withoutStacks(() => answerQuestion(operation, input, keys, context));
  return 'stages' in answer ? answer.stages : answer;
}

/** Runs a function whose exceptions are answers: V8 needs ten times as long for a stack as for the rest of an error. */
export function withoutStacks<T>(run: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

export function isRefused(answer: Stages | Refused): answer is Refused {
  return 'reason' in answer;
}

/** Makes the reference sign a given text without checking the input. */
const NO_CHECKS: Partial<Steps> = {
  positionalValue: () => '',
  formField: () => '',
  flattened: () => [],
  checkNames: () => {},
};

/** The answer of a signer that signs the given text: one of the accepted answers to an open question. */
export function computeAnswerForText(
  question: Question,
  text: string,
  dialect: Dialect,
): Stages | Refused {
  const swap = { signedText: () => text, withPrivateKey: () => text };
  const signed = computeAnswer(question, dialect, swap);
  return isRefused(signed) ? computeAnswer(question, dialect, { ...NO_CHECKS, ...swap }) : signed;
}

/** Makes the reference accept every signature and every fault, so that its answer shows the correct signature. */
const ACCEPT_EVERYTHING: Partial<Steps> = {
  sameText: () => true,
  takesPolicy: () => true,
  isPolicy: () => true,
  sameAccount: () => true,
  isExpired: () => false,
  expirySeconds: () => 0,
  missingParameter: () => undefined,
};

/** The correct signature of the request in a verify operation; `undefined` if the request carries none. */
export function computeSignature(question: Question, dialect: Dialect): string | undefined {
  const answer = computeAnswer(question, dialect, ACCEPT_EVERYTHING);
  return isRefused(answer) ? undefined : String(answer['signature']);
}

/** Wrong spellings of a correct signature, by the names that vectors use. */
const REWRITINGS: Readonly<Record<string, (signature: string) => string>> = {
  hexadecimal: (signature) => hexadecimal(decodeBase64(signature)),
  'lower-case': (signature) => signature.toLowerCase(),
  'upper-case': (signature) => signature.toUpperCase(),
  'no-padding': (signature) => signature.replace(/(?<!=)=+$/, ''),
  'url-safe': (signature) => signature.replaceAll('+', '-').replaceAll('/', '_'),
  'first-character-changed': (signature) =>
    (signature.startsWith('a') ? 'b' : 'a') + signature.slice(1),
  'last-character-changed': (signature) =>
    signature.slice(0, -1) + (signature.endsWith('a') ? 'b' : 'a'),
  'last-character-cut': (signature) => signature.slice(0, -1),
  'blank-before': (signature) => ` ${signature}`,
  'blank-after': (signature) => `${signature} `,
  'character-before': (signature) => `A${signature}`,
  'zero-before': (signature) => `0${signature}`,
  'comma-behind': (signature) => `${signature},`,
  'line-feed-behind': (signature) => `${signature}\n`,
  'twice-encoded': (signature) => urlEncode(signature),
};

/** Wrong spellings of a correct signature, each once: those of the vectors, its first half, another end, a foreign character. */
export function listRewritings(signature: string): readonly string[] {
  const texts = Object.values(REWRITINGS).map((rewrite) => rewrite(signature));
  const half = signature.slice(0, signature.length / 2);
  const end = signature.slice(0, -8);
  const all = new Set([...texts, half, `${end}00000000`, signature.replace(/^.{4}/, '$&!')]);
  all.delete(signature);
  return [...all];
}

/** The wrong signature that a vector describes; `undefined` if its request carries no signature. */
export function forgeSignature(
  question: Question,
  forged: Forged,
  dialect: Dialect,
): string | undefined {
  const input = { ...question.input, ...forged.input };
  const { privateKey } = forged.keys ?? question.keys;
  const keys = { ...question.keys, privateKey };
  const signature = computeSignature({ ...question, input, keys }, dialect);
  const rewriting = forged.text === undefined ? undefined : REWRITINGS[forged.text];
  return signature !== undefined && rewriting ? rewriting(signature) : signature;
}
