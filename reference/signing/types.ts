/**
 * The nouns of the specification, wire-true: nothing that a request can say is lost.
 *
 * @module
 */

/** The key pair of an account (§2). The private key never leaves the computation. */
export interface KeyPair {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** One name and its value: a header line, a form field, a query parameter. */
export type Pair = readonly [name: string, value: string];

/**
 * Header lines in request order, before any normalization.
 *
 * A list and not a record: repeated names, and the order of their values, are
 * part of what gets signed (§5.2, step 3).
 */
export type HeaderList = readonly Pair[];

/** A request on a file of a bucket (§4.3). */
export interface FileRequest {
  readonly method: string;
  readonly bucket: string;
  readonly key: string;
  readonly headers: HeaderList;
}

/** A number as its digits were written: no digit is lost, whatever its size. */
export interface NumberValue {
  readonly number: string;
}

/** The value of an API parameter, before flattening (§5.1). */
export type ParameterValue =
  | string
  | boolean
  | null
  | NumberValue
  | { readonly list: readonly ParameterValue[] }
  | { readonly object: ActionParameters };

/** API parameters in the order given (§4.2). A list, so that a repeated name can be said. */
export type ActionParameters = readonly (readonly [name: string, value: ParameterValue])[];

/** The value of a parameter after flattening. */
export type ScalarValue = string | boolean | NumberValue;

/** API parameters after flattening. */
export type FlatParameters = readonly (readonly [name: string, value: ScalarValue])[];

declare const brand: unique symbol;

/**
 * The exact text a signature covers.
 *
 * The brand keeps two strings apart that must never be mixed up: what a
 * request says, and what it signs.
 */
export type StringToSign = string & { readonly [brand]: 'StringToSign' };
