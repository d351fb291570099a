/**
 * The specification as a record of named steps. A known mistake is this record with one entry swapped.
 *
 * @module
 */
import type { Dialect } from './dialect.ts';
import type { BlockHash } from './etag.ts';
import type { PositionalValues } from './file-signature.ts';
import type { FormRequest } from './form-authorization.ts';
import type { InstantUpload } from './instant-upload.ts';
import type { PositionalName } from './positional-headers.ts';
import type { PresignedRequest } from './presigned-url.ts';
import type { SignedParts } from './string-to-sign.ts';
import type {
  ActionParameters,
  FileRequest,
  FlatParameters,
  HeaderList,
  Pair,
  ParameterValue,
  ScalarValue,
} from './types.ts';
import type { ParsedAuthorization } from './verify-authorization.ts';

/** What an operation works by: the steps of the specification, and three words. */
export interface Context {
  readonly steps: Steps;
  readonly dialect: Dialect;
}

export interface Steps {
  // §4.2, §5.1: parameters
  readonly password: (clearText: string) => string;
  readonly flattened: (parameters: ActionParameters) => FlatParameters;
  readonly isPresentValue: (value: ScalarValue) => boolean;
  readonly isSignedParameter: (name: string) => boolean;
  readonly checkNames: (parameters: FlatParameters) => void;
  readonly booleanText: (value: boolean) => string;
  readonly otherNumber: (text: string) => string;
  readonly heldNumber: (digits: string) => string;
  readonly numberText: (digits: string) => string;
  readonly signOfZero: (digits: string) => string;
  readonly valueText: (value: ScalarValue, context: Context) => string;
  readonly compareParameterNames: (a: string, b: string) => number;
  readonly parameterEntry: (name: string, text: string) => string;
  readonly joinParameterEntries: (entries: readonly string[]) => string;
  readonly withPrivateKey: (text: string, privateKey: string) => string;
  readonly actionTextBytes: (text: string) => Uint8Array;
  readonly sha1: (bytes: Uint8Array) => Uint8Array;
  readonly actionSignatureText: (digest: Uint8Array) => string;

  // §4.1, §4.2, §5.3: the forms of a request
  readonly urlEncode: (text: string) => string;
  readonly checkPresent: (
    parameters: FlatParameters,
    required: readonly string[],
    section: string,
  ) => void;
  readonly isSentParameter: (name: string) => boolean;
  readonly queryPair: (name: string, text: string, context: Context) => string;
  readonly signedQuery: (
    parameters: readonly Pair[],
    signature: string,
    context: Context,
  ) => string;
  readonly bucketTarget: (query: string) => string;
  readonly jsonValue: (value: ScalarValue, context: Context) => string;
  readonly jsonMembers: (
    sent: FlatParameters,
    given: ActionParameters,
    context: Context,
  ) => readonly string[];

  // §5.2: the string to sign
  readonly checkRequest: (request: FileRequest, context: Context) => void;
  readonly checkMethod: (method: string) => void;
  readonly checkBucket: (bucket: string) => void;
  readonly checkHeaders: (headers: HeaderList, context: Context) => void;
  readonly checkHeaderName: (name: string) => void;
  readonly checkHeaderValue: (name: string, value: string) => void;
  readonly verb: (method: string) => string;
  readonly isPositional: (header: string, name: PositionalName) => boolean;
  readonly positionalValue: (headers: HeaderList, name: PositionalName, context: Context) => string;
  readonly positionalValues: (request: FileRequest, context: Context) => PositionalValues;
  readonly trimName: (name: string) => string;
  readonly isExtraHeader: (name: string, prefix: string) => boolean;
  readonly lowerCaseName: (name: string) => string;
  readonly unfold: (value: string) => string;
  readonly trimValue: (value: string) => string;
  readonly compareHeaderNames: (a: string, b: string) => number;
  readonly joinValues: (values: readonly string[]) => string;
  readonly headerEntry: (name: string, value: string) => string;
  readonly joinHeaderEntries: (entries: readonly string[]) => string;
  readonly canonicalHeaders: (headers: HeaderList, context: Context) => string;
  readonly canonicalResource: (bucket: string, key: string) => string;
  readonly signedText: (parts: SignedParts) => string;

  // §5.2: the signature and its header
  readonly hmacKeyBytes: (privateKey: string) => Uint8Array;
  readonly hmacTextBytes: (text: string) => Uint8Array;
  readonly hmacSha1: (key: Uint8Array, text: Uint8Array) => Uint8Array;
  readonly fileSignatureText: (digest: Uint8Array) => string;
  readonly authorizationValue: (
    scheme: string,
    publicKey: string,
    signature: string,
    policy: string,
  ) => string;

  // §4.3 and observed: form upload, callback policy, instant upload
  readonly formField: (fields: readonly Pair[], name: PositionalName, context: Context) => string;
  readonly formPositionalValues: (form: FormRequest, context: Context) => PositionalValues;
  readonly policy: (members: readonly Pair[]) => string;
  readonly instantUploadKey: (upload: InstantUpload) => string;
  readonly instantUploadTarget: (upload: InstantUpload, context: Context) => string;

  // §5.4: pre-signed URLs
  readonly presignedPositionalValues: (
    request: PresignedRequest,
    context: Context,
  ) => PositionalValues;
  readonly encodedSignature: (signature: string) => string;
  readonly presignedQuery: (pairs: readonly Pair[]) => string;
  readonly fileHostName: (bucket: string, fileHost: string) => string;
  readonly filePath: (key: string, context: Context) => string;

  // §2: the ETag
  readonly blockSize: number;
  readonly blockHash: (blockSize: number) => BlockHash;
  readonly fileDigest: (blocks: readonly Uint8Array[]) => Uint8Array;
  readonly etagBytes: (blockCount: number, digest: Uint8Array) => Uint8Array;
  readonly partEtagBytes: (digest: Uint8Array) => Uint8Array;
  readonly etagText: (bytes: Uint8Array) => string;

  // §5, E1: the other direction
  readonly sameText: (expected: string, received: string) => boolean;
  readonly parsedAuthorization: (value: string, scheme: string) => ParsedAuthorization | undefined;
  readonly takesPolicy: (method: string) => boolean;
  readonly isPolicy: (text: string) => boolean;
  readonly decodedQuery: (query: string) => readonly Pair[] | undefined;
  readonly jsonText: (text: string) => ParameterValue | undefined;
  readonly sameAccount: (held: string, received: string) => boolean;
  readonly missingParameter: (parameters: FlatParameters) => string | undefined;
  readonly keyOfPath: (path: string) => string | undefined;
  readonly expirySeconds: (expires: string) => number | undefined;
  readonly bucketOfHost: (host: string, fileHost: string) => string | undefined;
  readonly isExpired: (expires: number, now: number) => boolean;
}
