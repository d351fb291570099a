/**
 * The messages between the harness and a respondent: questions and replies (adapters/PROTOCOL.md).
 *
 * @module
 */
import { escapeUnit } from '../../reference/escapes.ts';

export type { Dialect } from '../../reference/signing/types.ts';

import type { Input, KeyPair, Stages } from './vector.ts';

export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly language: string;
}

export interface HelloReply {
  readonly implementation: Implementation;
  readonly operations: readonly string[];
  readonly traces?: readonly string[];
  readonly window?: number;
}

export interface Question {
  readonly operation: string;
  readonly keys: KeyPair;
  readonly input: Input;
  /** The name under which a file of answers records the reply. Not sent to adapters. */
  readonly name?: string;
  /** The serialized message without its number, if the respondent has prepared it. */
  readonly text?: string;
  /** The relative time that the answer takes, if the respondent has prepared the question. */
  readonly weight?: number;
}

/** The reply to a question. `result` and `refused` are answers; the other kinds say why there is no answer. */
export type Reply =
  | { readonly kind: 'result'; readonly result: Stages; readonly trace: Stages }
  | { readonly kind: 'refused'; readonly reason: string; readonly message: string }
  | { readonly kind: 'unsupported'; readonly message?: string }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'crashed'; readonly message: string }
  | { readonly kind: 'timeout'; readonly message: string }
  | { readonly kind: 'garbage'; readonly message: string }
  | { readonly kind: 'not-asked'; readonly message: string };

/** Line breaks of Unicode that JSON may contain unescaped. The readers of Node and `splitlines` of Python split lines at them. */
const LINE_BREAKS = /[\u0085\u2028\u2029]/g;

/** JSON that every line reader takes for one line. */
export const toJsonLine = (value: object): string =>
  JSON.stringify(value).replace(LINE_BREAKS, escapeUnit);
