/**
 * A draft: the plain data that fast-check draws and shrinks, and from which a question is built.
 *
 * @module
 */
import type { Dialect } from '../../engine/protocol.ts';
import type { Input, KeyPair } from '../../engine/vector.ts';

/** Makes a request wrong, so that it must be refused: a signer must not sign it, or it changes on its way to the verifier. */
export interface Change {
  readonly kind: string;
  /** The index of a position or a variant, modulo their number. */
  readonly at: number;
  readonly text: string;
}

export interface Draft {
  readonly operation: string;
  readonly keys: KeyPair;
  /** The input; for a verify operation, the input of the operation that signs. */
  readonly request: Input;
  /** Absent if the request is correct. */
  readonly change?: Change | undefined;
  /** For a verify operation: selects one of the equivalent notations of the request. */
  readonly writing?: number;
}

/** An input, and the key pair that signs it. */
export type SignedRequest = Pick<Draft, 'keys' | 'request'>;

/** The adapter that drafts are drawn for. */
export interface Circumstances {
  readonly dialect: Dialect;
  /** The operations that the adapter has. */
  readonly operations: readonly string[];
  /** Whether requests that only advised rules refuse are asked as well. */
  readonly isAdvised?: boolean;
}

/** The item at an index, modulo the length of the list. */
export function itemAt<T>(list: readonly T[], at: number): T {
  const item = list[at % list.length];
  if (item === undefined) throw new Error('the list is empty');
  return item;
}
