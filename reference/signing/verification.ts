/**
 * Verification: the steps that read and compare the values of a request (§5, E1). Every export is a step.
 *
 * @module
 */
import { urlDecode } from './bytes.ts';
import { jsonText as parsedJson } from './json-text.ts';
import type {
  ActionParameters,
  Context,
  FileRequest,
  FlatParameters,
  HeaderList,
  KeyPair,
  Pair,
  ParameterValue,
} from './types.ts';

// --- The comparison

/** Compares two texts in a time that depends only on the length of the expected one. */
export function sameText(expected: string, received: string): boolean {
  let difference = expected.length ^ received.length;
  for (let i = 0; i < expected.length; i++) {
    // Past the end of `received`, charCodeAt returns NaN, and `^` converts it to 0. Such texts already differ in length.
    difference |= expected.charCodeAt(i) ^ received.charCodeAt(i);
  }
  return difference === 0;
}
export const sameAccount = (held: string, received: string): boolean => held === received;
/** An unknown account has no key pair, so the request is refused (§5). */
export const unknownAccount = (_publicKey: string): KeyPair | undefined => undefined;
export const receivedPublicKey = (publicKey: string): string => publicKey;
export const receivedSignature = (signature: string): string => signature;
/** Whether a request has a signature. An empty text and a JSON value of another type do not count as one. */
export const hasSignature = (signature: ParameterValue | undefined): boolean =>
  typeof signature === 'string' && signature !== '';

// --- §5.2: the header

/** The file request for which the verifier computes the signature. */
export const verifiedRequest = (request: FileRequest): FileRequest => request;
/** The requests whose signature the verifier accepts: only the one that it received. */
export const acceptedRequests = (request: FileRequest): readonly FileRequest[] => [request];
/** The policies with which the verifier accepts a signature: only the one that it received. */
export const acceptedPolicies = (policy: string): readonly string[] => [policy];
/** Whether a header is `Authorization`, in any case. */
export const isAuthorization = (name: string): boolean => name.toLowerCase() === 'authorization';
/** The values of all `Authorization` headers. */
export const authorizationValues = (values: readonly string[]): readonly string[] => values;
export const receivedAuthorization = (value: string): string => value;

/** The parts of an `Authorization` value. `policy` is empty if the value has no policy. */
export interface ParsedAuthorization {
  readonly publicKey: string;
  readonly signature: string;
  readonly policy: string;
}
export const hasScheme = (value: string, scheme: string): boolean => value.startsWith(`${scheme} `);
/** Parses the text after the scheme: public key, colon, signature; optionally a colon and the policy. */
export function credentials(text: string): ParsedAuthorization | undefined {
  const [publicKey = '', signature = '', policy, ...more] = text.split(':');
  const parts = [publicKey, signature, policy ?? 'none'];
  if (more.length > 0 || parts.some((part) => part === '' || /[ \t]/.test(part))) return undefined;
  return { publicKey, signature, policy: policy ?? '' };
}
/** Parses the value of the header: scheme, one space, credentials. */
export const parsedAuthorization = (
  value: string,
  scheme: string,
  { steps }: Context,
): ParsedAuthorization | undefined =>
  steps.hasScheme(value, scheme) ? steps.credentials(value.slice(scheme.length + 1)) : undefined;

/** The policy that a verifier checks: the third part of the header, whatever the method. */
export const receivedPolicy = (policy: string, _method: string): string => policy;
/** Whether a request with this method can be an upload. Only uploads have a policy. */
export const takesPolicy = (method: string): boolean =>
  ['PUT', 'POST'].includes(method.toUpperCase());
/** Base64 in the URL-safe or in the standard alphabet: SDKs write either. */
const BASE64 = /^(?:[A-Za-z0-9_-]+|[A-Za-z0-9+/]+)={0,2}$/;
/** Whether a text is Base64 of a JSON object. */
export function isPolicy(text: string): boolean {
  if (!BASE64.test(text)) return false;
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof json === 'object' && json !== null && !Array.isArray(json);
  } catch {
    return false;
  }
}

// --- §5.1: the query and the JSON body

export const receivedQuery = (query: string): string => query;
export const decodedText = (text: string): string | undefined => urlDecode(text);
/** Decodes a query (§5.3); `undefined` for an invalid escape. A piece without `=` has an empty value. */
export function decodedQuery(query: string, { steps }: Context): readonly Pair[] | undefined {
  const pairs: Pair[] = [];
  for (const piece of steps.receivedQuery(query).split('&')) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    const name = steps.decodedText(equals < 0 ? piece : piece.slice(0, equals));
    const value = steps.decodedText(equals < 0 ? '' : piece.slice(equals + 1));
    if (name === undefined || value === undefined) return undefined;
    pairs.push([name, value]);
  }
  return steps.receivedPairs(pairs);
}
export const receivedPairs = (pairs: readonly Pair[]): readonly Pair[] => pairs;
export const receivedBody = (body: string): string => body;
export const jsonText = (text: string): ParameterValue | undefined => parsedJson(text);
export const receivedMembers = (members: ActionParameters): ActionParameters => members;
/** Whether an object, at any depth, repeats a member; the meaning of such JSON is ambiguous. */
export function repeatsMember(value: ParameterValue): boolean {
  if (typeof value !== 'object' || value === null || 'number' in value) return false;
  if ('list' in value) return value.list.some(repeatsMember);
  const names = new Set(value.object.map(([name]) => name));
  return (
    names.size < value.object.length || value.object.some(([, member]) => repeatsMember(member))
  );
}
/** How often a parameter occurs that may occur only once. */
export const countOf = (count: number): number => count;
/** The first missing parameter that §4.2 requires. */
export const missingParameter = (parameters: FlatParameters): string | undefined =>
  ['Action', 'PublicKey'].find((name) => !parameters.some(([present]) => present === name));

// --- §5.4: the pre-signed URL

export const receivedUrl = (url: string): string => url;
/** The headers whose canonical form is signed. */
export const verifiedHeaders = (headers: HeaderList): HeaderList => headers;
/** The key that is signed. Other parameters of the URL are not. */
export const verifiedKey = (key: string, _others: readonly Pair[]): string => key;
/** A URL may have parameters that are not signed. */
export const ignoresParameter = (_name: string): boolean => true;
/** The bucket in a host, before the file host; `undefined` if the host does not end with the file host. */
export function bucketOfHost(host: string, fileHost: string): string | undefined {
  const suffix = `.${fileHost}`;
  if (!host.toLowerCase().endsWith(suffix.toLowerCase())) return undefined;
  const bucket = host.slice(0, -suffix.length);
  return bucket === '' || bucket.includes('.') ? undefined : bucket;
}
export const keyOfPath = (path: string): string | undefined => urlDecode(path);
const SECONDS = /^[0-9]{1,15}$/;
/** The time in `Expires`; `undefined` if it is not a number of seconds. */
export const expirySeconds = (expires: string): number | undefined =>
  SECONDS.test(expires) ? Number(expires) : undefined;
/** The expiry is checked before the signature; §5.4 does not mention it, the service's documentation does. */
export const isExpiryFirst = (): boolean => true;
/** A server refuses once its clock is past the given time; within that second, the URL is still valid. */
export const isExpired = (expires: number, now: number): boolean => now > expires;
