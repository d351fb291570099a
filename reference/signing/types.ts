/**
 * The nouns of the specification. The types keep everything that a request can express: order, repeats, case and folds.
 *
 * @module
 */
/** The key pair of an account (§2). The private key never leaves the computation. */
export interface KeyPair {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** The three words in which deployments of the service differ, and nothing else. */
export interface Dialect {
  /** The word before the public key in an Authorization header (§5.2). */
  readonly scheme: string;
  /** How the names of extra headers start, in any case (§5.2). */
  readonly headerPrefix: string;
  /** The query parameter that carries the public key in a pre-signed URL (§5.4). */
  readonly publicKeyParameter: string;
}

/** The dialect and the steps that an operation uses. `specification.ts` declares the steps, because they are made of all files of steps. */
export interface Context {
  readonly dialect: Dialect;
}

/** One name and its value: a header line, a form field, a query parameter. */
export type Pair = readonly [name: string, value: string];

/** Header lines in request order; a list, because repeated names and their order are signed (§5.2 step 3). */
export type HeaderList = readonly Pair[];

/** A request on a file of a bucket (§4.3). */
export interface FileRequest {
  readonly method: string;
  readonly bucket: string;
  readonly key: string;
  readonly headers: HeaderList;
}

/** A POST of a form to a bucket (§4.3). The form contains the key. */
export interface FormRequest extends Omit<FileRequest, 'method'> {
  /** The form's text fields, in order. */
  readonly fields: readonly Pair[];
}

/** An upload by ETag alone (§1; its shape is observed). */
export interface InstantUpload extends Omit<FileRequest, 'method'> {
  /** The file's ETag (§2). */
  readonly etag: string;
  /** The file's size in bytes, as decimal text. */
  readonly size: string;
}

/** A request that is signed into a URL (§5.4). */
export interface PresignedRequest extends FileRequest {
  /** When the URL expires: Unix seconds as decimal text, opaque to the signer. */
  readonly expires: string;
  /** `http` or `https`. */
  readonly scheme: string;
  /** The host without the bucket and its dot (§4.3); may end with a port. */
  readonly fileHost: string;
}

/** A number as text, so that no digit is lost. */
export interface NumberValue {
  readonly number: string;
}

/** The value of a parameter after flattening. */
export type ScalarValue = string | boolean | NumberValue;

/** The value of an API parameter, before flattening (§5.1). */
export type ParameterValue =
  | ScalarValue
  | null
  | { readonly list: readonly ParameterValue[] }
  | { readonly object: ActionParameters };

/** API parameters in the given order (§4.2). A list can express repeated names. */
export type ActionParameters = readonly (readonly [name: string, value: ParameterValue])[];

/** A parameter after flattening. `within` says whether it is an item of a list or a member of an object. */
export type FlatParameter = readonly [name: string, value: ScalarValue, within?: 'list' | 'object'];
export type FlatParameters = readonly FlatParameter[];

/** A named piece of a text; a break separates other pieces. */
export type Piece = readonly [name: string, text: string, isBreak?: true];

declare const brand: unique symbol;

/** The exact text that a signature covers; branded, so that no other text can take its place. */
export type StringToSign = string & { readonly [brand]: 'StringToSign' };

/** Brands the result of the last step of a text. */
export const toStringToSign = (text: string): StringToSign => text as StringToSign;

export interface ActionStages {
  readonly sortedParameters: readonly Pair[];
  /** Ends with the private key: never show it for keys that are not public test keys. */
  readonly stringToSign: StringToSign;
  readonly signature: string;
}

/** Every stage on the way to the signature of a file request, in order. */
export interface FileStages {
  readonly canonicalHeaders: string;
  readonly canonicalResource: string;
  readonly stringToSign: StringToSign;
  /** The HMAC-SHA1 in lower-case hexadecimal. */
  readonly digest: string;
  readonly signature: string;
}

/** Why there is no signature for an input. */
export type InputErrorCode =
  | 'bucket'
  | 'header-name'
  | 'header-repeated'
  | 'header-value'
  | 'method'
  | 'number'
  | 'parameter-missing'
  | 'parameter-null'
  | 'parameter-repeated'
  | 'text';

/** An input for which §5 defines no signature. The message never contains a key. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly code: InputErrorCode;

  constructor(code: InputErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Where a request carries its signature. */
export type SignedIn = 'header' | 'url' | 'form' | 'query' | 'json';
