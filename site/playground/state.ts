/**
 * The input of the user, and the link that shares it.
 *
 * @module
 */

import type { Input } from '../../harness/engine/vector.ts';
import { decodeBase64 } from '../../reference/contents.ts';
import { keyHider, mapForeignTexts } from '../../reference/secret-keys.ts';
import { base64Url, utf8Bytes } from '../../reference/signing/bytes.ts';
import { EXAMPLE_KEYS, EXAMPLES } from './examples.ts';

/** The input without the private key. */
export interface State {
  readonly mode: 'build' | 'paste';
  readonly operation: string;
  readonly input: Input;
  readonly publicKey: string;
  /** The dialect in the form of `parseDialect`; empty for the dialect that the request shows. */
  readonly dialect: string;
  /** The signature that the user got, or the text that contains it. */
  readonly received: string;
  /** The pasted request. */
  readonly capture: string;
  /** The bucket and the file host of a pasted request whose host does not show them. */
  readonly bucket: string;
  readonly fileHost: string;
}

export const START: State = {
  mode: 'build',
  operation: 'authorization',
  input: { ...EXAMPLES.authorization },
  publicKey: EXAMPLE_KEYS.publicKey,
  dialect: '',
  received: '',
  capture: '',
  bucket: '',
  fileHost: '',
};

/** The fragment of a link. The private key is removed, in any encoding. */
export function encodeState(state: State, privateKey: string): string {
  const safe = privateKey === '' ? state : mapForeignTexts(state, keyHider([privateKey]));
  const { operation, mode } = state;
  // A short private key may be part of these words.
  const text = JSON.stringify({ ...safe, operation, mode });
  return `#${base64Url(utf8Bytes(text))}`;
}

/** Reads the fragment of a link; `undefined` if the fragment is not from such a link. */
export function decodeState(fragment: string): State | undefined {
  try {
    const text = new TextDecoder().decode(decodeBase64(fragment.replace(/^#/, '')));
    const read: unknown = JSON.parse(text);
    return isState(read) ? { ...START, ...read } : undefined;
  } catch {
    return undefined;
  }
}

function isState(read: unknown): read is Partial<State> {
  if (typeof read !== 'object' || read === null) return false;
  const { mode, operation, input, ...texts } = read as Readonly<Record<string, unknown>>;
  return (
    (mode === 'build' || mode === 'paste') &&
    typeof operation === 'string' &&
    operation in EXAMPLES &&
    typeof input === 'object' &&
    input !== null &&
    Object.values(texts).every((text) => typeof text === 'string')
  );
}
