/**
 * An implementation as an object: one function for each operation of the protocol that it has.
 *
 * @module
 */
import type { Dialect } from '../adapter/messages.ts';
import type { KeyPair } from '../suite/vector.ts';

/** Names and texts in order; a name may repeat. */
export type Pairs = readonly (readonly [name: string, text: string])[];

/** A number stays text, with its digits as they were written. */
export type ParameterValue =
  | string
  | boolean
  | null
  | { readonly number: string }
  | { readonly list: readonly ParameterValue[] }
  | { readonly object: Parameters };

export type Parameters = readonly (readonly [name: string, value: ParameterValue])[];

/** The path of a file, or its bytes in Base64. */
export type Content = { readonly file: string } | { readonly bytes: string };

interface Text {
  readonly text: string;
}
interface Action {
  readonly parameters: Parameters;
}
interface File {
  readonly bucket: string;
  readonly key: string;
  readonly headers: Pairs;
}
interface Method {
  readonly method: string;
}

/** What each operation gets: the members of adapters/PROTOCOL.md. */
export interface Inputs {
  readonly 'url-encode': Text;
  readonly password: Text;
  readonly 'action-signature': Action;
  readonly 'action-json': Action;
  readonly 'action-query': Action;
  readonly 'bucket-request': Action;
  readonly authorization: File & Method;
  readonly 'form-authorization': File & { readonly fields: Pairs };
  readonly policy: { readonly members: Pairs };
  readonly 'policy-authorization': File & Method & { readonly policy: string };
  readonly 'instant-upload': File & { readonly etag: string; readonly size: string };
  readonly 'presigned-url': File &
    Method & { readonly expires: string; readonly scheme: string; readonly fileHost: string };
  readonly etag: { readonly content: Content };
  readonly 'part-etag': { readonly content: Content };
  readonly 'verify-authorization': File & Method;
  readonly 'verify-presigned-url': Method & {
    readonly url: string;
    readonly headers: Pairs;
    readonly fileHost: string;
    readonly now: string;
  };
  readonly 'verify-query': { readonly query: string };
  readonly 'verify-json': { readonly body: string };
}

/** The text of the result, or the members of the result together with any stages before it. */
export type Answer = string | object;

/**
 * Throws an error with a text under `reason` to refuse; any other error says that it broke. For an input that the
 * implementation cannot express, it returns, or throws, `{ unsupported: 'why' }`.
 */
export type Operation<Input> = (
  input: Input,
  keys: KeyPair,
  circumstances: { readonly dialect: Dialect },
) => Answer | Promise<Answer>;

/** `urlEncode` for `url-encode`: a name that an export or a method can have. */
export type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** One function for each operation; what it has no function for is unsupported. */
export type Signer = {
  readonly [Name in keyof Inputs as Name | CamelCase<Name>]?: Operation<Inputs[Name]>;
};
