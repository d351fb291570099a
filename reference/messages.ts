/**
 * The messages that an adapter receives (adapters/PROTOCOL.md).
 *
 * @module
 */
import type { Dialect, KeyPair } from './signing/index.ts';
import { hasMembers, isText } from './values.ts';

export interface HelloMessage {
  readonly dialect: Dialect;
}

export function isHello(value: unknown): value is HelloMessage {
  return hasMembers(value) && isDialect(value['dialect']);
}

function isDialect(value: unknown): value is Dialect {
  if (!hasMembers(value)) return false;
  const { scheme, headerPrefix, publicKeyParameter } = value;
  return [scheme, headerPrefix, publicKeyParameter].every(isText);
}

export interface QuestionMessage {
  readonly n: number;
  readonly operation: string;
  readonly keys: KeyPair;
  readonly input: object;
}

export function isQuestion(value: unknown): value is QuestionMessage {
  if (!hasMembers(value)) return false;
  const { n, operation, keys, input } = value;
  return typeof n === 'number' && isText(operation) && isKeyPair(keys) && hasMembers(input);
}

export function isKeyPair(value: unknown): value is KeyPair {
  return hasMembers(value) && isText(value['publicKey']) && isText(value['privateKey']);
}
