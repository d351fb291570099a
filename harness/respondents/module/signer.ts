/**
 * An implementation as an object with one function for each operation that it supports.
 *
 * @module
 */
import type { Inputs } from '../../../reference/operations.ts';
import type { Dialect } from '../../engine/protocol.ts';
import type { KeyPair } from '../../engine/vector.ts';

/** The input of each operation, as adapters/PROTOCOL.md describes it. */
export type { Inputs };

/** The text of the result, or an object with the members of the result and any stages before it. */
export type Answer = string | object;

/**
 * A function for one operation.
 *
 * To refuse, it throws an error with a text under `reason`. Any other error counts as a failure. For an input that the
 * implementation cannot express, it returns or throws `{ unsupported: 'why' }`.
 */
export type Operation<Input> = (
  input: Input,
  keys: KeyPair,
  circumstances: { readonly dialect: Dialect },
) => Answer | Promise<Answer>;

/** `urlEncode` for `url-encode`, as a name for an export or a method. */
export type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** One function for each operation; an operation without a function is unsupported. */
export type Signer = {
  readonly [Name in keyof Inputs as Name | CamelCase<Name>]?: Operation<Inputs[Name]>;
};
