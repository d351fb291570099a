/**
 * A question in the making: what fast-check makes and shrinks, as plain data.
 *
 * @module
 */
import type { Dialect } from '../adapter/messages.ts';
import type { Input, KeyPair } from '../suite/vector.ts';

/** A question that must be answered like another one. */
export interface Relation {
  readonly kind: string;
  /** Which of the ways of its kind. */
  readonly by: number;
}

/** What makes a request one that must be refused: something that no signer may sign, or that happens to it on its way to the verifier. */
export interface Change {
  readonly kind: string;
  /** Where, counted round. */
  readonly at: number;
  readonly text: string;
}

export interface Draft {
  readonly operation: string;
  readonly keys: KeyPair;
  /** The input; of an operation that verifies, the input of the operation that signs. */
  readonly request: Input;
  readonly relation?: Relation | undefined;
  /** Absent where the request is right. */
  readonly change?: Change | undefined;
  /** Of an operation that verifies: which of the ways to write the same request. */
  readonly writing?: number;
}

/** What drafts are made for. */
export interface Circumstances {
  readonly dialect: Dialect;
  /** What the adapter has. */
  readonly operations: readonly string[];
  /** Requests that only rules of level advised refuse are asked about, too. */
  readonly isAdvised?: boolean;
}
