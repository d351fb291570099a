/**
 * Expected values of inputs that no file holds: other words, other keys, a vector in the making.
 *
 * @module
 */
import { type OperationInput, outcome } from '../../reference/operations.ts';
import { type Context, inDialect, type Steps, urlEncode } from '../../reference/signing/index.ts';
import type { Dialect } from '../adapter/messages.ts';
import type { Forged, Input, KeyPair, Stages } from '../suite/vector.ts';

/** What is asked: an operation, its input, the account. */
export interface Asked {
  readonly operation: string;
  readonly input: Input;
  readonly keys: KeyPair;
}

export type Refused = { readonly reason: string; readonly message: string };

/** Every stage of the right answer, or why there is none. */
export function answerTo(
  asked: Asked,
  dialect: Dialect,
  swap: Partial<Steps> = {},
): Stages | Refused {
  const context: Context = inDialect(dialect);
  const answer = outcome(asked.operation, asked.input as unknown as OperationInput, asked.keys, {
    ...context,
    steps: { ...context.steps, ...swap },
  });
  return 'stages' in answer ? answer.stages : (answer as Refused);
}

export function isRefused(answer: Stages | Refused): answer is Refused {
  return 'reason' in answer;
}

/** A signer that refuses nothing, where the text that it signs is given. */
const HEEDLESS: Partial<Steps> = {
  positionalValue: () => '',
  formField: () => '',
  flattened: () => [],
  checkNames: () => {},
};

/** The answer of a signer that signs this text: one of the answers to an open question. */
export function answerSigning(asked: Asked, text: string, dialect: Dialect): Stages | Refused {
  const signed = answerTo(asked, dialect, { signedText: () => text, withPrivateKey: () => text });
  return isRefused(signed)
    ? answerTo(asked, dialect, { ...HEEDLESS, signedText: () => text, withPrivateKey: () => text })
    : signed;
}

/** A verifier that takes any signature for the right one, and whatever else is wrong for right, so that it shows the right one. */
const CREDULOUS: Partial<Steps> = {
  sameText: () => true,
  takesPolicy: () => true,
  isPolicy: () => true,
  sameAccount: () => true,
  isExpired: () => false,
  expirySeconds: () => 0,
  missingParameter: () => undefined,
};

/** The signature that a request in a verify operation should carry; nothing where the request has no signature. */
export function rightSignature(asked: Asked, dialect: Dialect): string | undefined {
  const answer = answerTo(asked, dialect, CREDULOUS);
  return isRefused(answer) ? undefined : String(answer['signature']);
}

/** The ways in which a right signature gets written wrongly. */
const REWRITINGS: Readonly<Record<string, (signature: string) => string>> = {
  hexadecimal: (signature) => Buffer.from(signature, 'base64').toString('hex'),
  'lower-case': (signature) => signature.toLowerCase(),
  'upper-case': (signature) => signature.toUpperCase(),
  'no-padding': (signature) => signature.replace(/(?<!=)=+$/, ''),
  'url-safe': (signature) => signature.replaceAll('+', '-').replaceAll('/', '_'),
  'first-character-changed': (signature) =>
    (signature.startsWith('a') ? 'b' : 'a') + signature.slice(1),
  'last-character-cut': (signature) => signature.slice(0, -1),
  'blank-before': (signature) => ` ${signature}`,
  'blank-after': (signature) => `${signature} `,
  'twice-encoded': (signature) => urlEncode(signature),
};

/** The wrong signature that a vector describes; nothing where it cannot be made. */
export function forgedSignature(
  asked: Asked,
  forged: Forged,
  dialect: Dialect,
): string | undefined {
  const signature = rightSignature(
    {
      ...asked,
      input: { ...asked.input, ...forged.input },
      keys: forged.keys ? { ...asked.keys, privateKey: forged.keys.privateKey } : asked.keys,
    },
    dialect,
  );
  const rewriting = forged.text === undefined ? undefined : REWRITINGS[forged.text];
  return signature !== undefined && rewriting ? rewriting(signature) : signature;
}

/** Every text of a value replaced. */
export function withTexts<T>(value: T, replaced: (text: string) => string): T {
  if (typeof value === 'string') return replaced(value) as T;
  if (Array.isArray(value)) return value.map((item) => withTexts(item, replaced)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [
    name,
    withTexts(member, replaced),
  ]);
  return Object.fromEntries(entries) as T;
}
