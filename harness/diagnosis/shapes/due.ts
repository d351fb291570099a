/**
 * What a result should look like: where its signature is, and in which writing.
 *
 * @module
 */
import { OPERATIONS } from '../../suite/operations.ts';

/** How bytes are written as text. */
export interface Writing {
  readonly name: string;
  /** The trait of `form.ts` that every such text has, or may have. */
  readonly trait: 'hexadecimal' | 'standard-alphabet' | 'url-safe-alphabet';
  /** The bytes are a text, not a digest. */
  readonly isText?: true;
}

/** A signature and what stands around it. */
export interface Place {
  readonly before: string;
  readonly signature: string;
  readonly after: string;
}

const HEXADECIMAL: Writing = { name: 'lower-case hexadecimal (§5.1)', trait: 'hexadecimal' };
const BASE64: Writing = { name: 'standard Base64 (§5.2)', trait: 'standard-alphabet' };

/** Results that are bytes as a whole. */
const WHOLE: Readonly<Record<string, Writing>> = {
  etag: { name: 'URL-safe Base64 (§2)', trait: 'url-safe-alphabet' },
  policy: { name: 'URL-safe Base64', trait: 'url-safe-alphabet', isText: true },
  value: { name: 'standard Base64 (§4.2)', trait: 'standard-alphabet', isText: true },
};

/** The writing of a result, or of the signature in it. */
export function writingOf(operation: string, stage: string): Writing | undefined {
  const stages = OPERATIONS[operation]?.stages ?? [];
  if (!stages.includes('signature')) return WHOLE[stage];
  return stages.includes('sortedParameters') ? HEXADECIMAL : BASE64;
}

const ALL = /^()(.*)()$/s;
const IN_QUERY = /^((?:.*[?&])?Signature=)([^&#]*)(.*)/s;

const PLACES: Readonly<Record<string, RegExp>> = {
  signature: ALL,
  etag: ALL,
  policy: ALL,
  value: ALL,
  authorization: /^(.*:)([^:]*)()$/s,
  query: IN_QUERY,
  target: IN_QUERY,
  url: IN_QUERY,
  body: /^(.*"Signature"[ \t\r\n]*:[ \t\r\n]*")([^"]*)(".*)$/s,
};

/** The signature with its policy behind it. */
const BEFORE_POLICY = /^(.*:)([^:]*)(:[^:]*)$/s;

/** Where the signature is in a result, or the whole of one that is bytes; nothing where it has none. */
export function signaturePlace(operation: string, stage: string, text: string): Place | undefined {
  const hasPolicy = operation === 'policy-authorization' && stage === 'authorization';
  const found = (hasPolicy ? BEFORE_POLICY : PLACES[stage])?.exec(text);
  if (!found) return undefined;
  const [, before = '', signature = '', after = ''] = found;
  return { before, signature, after };
}

/** The bytes that a text stands for in whichever writing it has; nothing where it has none. */
export function bytesOf(text: string): Buffer | undefined {
  if (/^(?:[0-9a-f]{2}){4,}$/i.test(text)) return Buffer.from(text, 'hex');
  // Half a byte more or less is no Base64 either.
  if (/^[0-9a-f]{16,}$/i.test(text)) return undefined;
  return /^[\w+/-]{8,}={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}
