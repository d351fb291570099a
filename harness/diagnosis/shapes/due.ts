/**
 * What a result is due to look like: where its signature stands, and in which writing.
 *
 * @module
 */
import { OPERATIONS } from '../../suite/operations.ts';

/** How bytes are written as text. */
export interface Writing {
  readonly id: 'hexadecimal' | 'base64' | 'base64url';
  readonly name: string;
}

/** What is due at one place: the whole of a result, or the signature in it. */
export interface Due {
  readonly operation: string;
  readonly stage: string;
  readonly text: string;
  /** Nothing where the text is no writing of bytes. */
  readonly writing?: Writing;
}

/** A signature and what stands around it. */
export interface Place {
  readonly before: string;
  readonly signature: string;
  readonly after: string;
}

const HEXADECIMAL: Writing = { id: 'hexadecimal', name: 'lower-case hexadecimal (§5.1)' };
const BASE64: Writing = { id: 'base64', name: 'standard Base64 (§5.2)' };

/** Results that are bytes as a whole. */
const WHOLE: Readonly<Record<string, Writing>> = {
  etag: { id: 'base64url', name: 'URL-safe Base64 (§2)' },
  policy: { id: 'base64url', name: 'URL-safe Base64' },
  value: { id: 'base64', name: 'standard Base64 (§4.2)' },
};

/** The writing of a result, or of the signature in it. */
export function writingOf(operation: string, stage: string): Writing | undefined {
  const stages = OPERATIONS[operation]?.stages ?? [];
  if (!stages.includes('signature')) return WHOLE[stage];
  return stages.includes('sortedParameters') ? HEXADECIMAL : BASE64;
}

const IN_QUERY = /^((?:.*[?&])?Signature=)([^&#]*)(.*)/s;

const PLACES: Readonly<Record<string, RegExp>> = {
  signature: /^()(.*)()$/s,
  authorization: /^(.*:)([^:]*)()$/s,
  query: IN_QUERY,
  target: IN_QUERY,
  url: IN_QUERY,
  body: /^(.*"Signature"[ \t\r\n]*:[ \t\r\n]*")([^"]*)(".*)$/s,
};

/** The signature with its policy behind it. */
const BEFORE_POLICY = /^(.*:)([^:]*)(:[^:]*)$/s;

/** Where the signature stands in a result; nothing where it has none. */
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

/** Bytes in a writing, padded. */
export function written(bytes: Buffer, { id }: Writing): string {
  if (id !== 'base64url') return bytes.toString(id === 'base64' ? id : 'hex');
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}
