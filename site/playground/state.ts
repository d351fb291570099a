/**
 * The input of the user, and the link that shares it.
 *
 * @module
 */

import type { Input } from '../../harness/engine/vector.ts';
import { decodeBase64 } from '../../reference/contents.ts';
import { keyHider, mapForeignTexts } from '../../reference/secret-keys.ts';
import { base64Url, utf8Bytes } from '../../reference/signing/bytes.ts';
import { hasMembers, isText, isTextPairs, parseJson } from '../../reference/values.ts';
import { EXAMPLE_KEYS, EXAMPLES } from './examples.ts';
import { isParameters } from './fields.ts';

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
    const read = parseJson(text);
    return isState(read) ? { ...START, ...read } : undefined;
  } catch {
    return undefined;
  }
}

function isState(read: unknown): read is Partial<State> {
  if (!hasMembers(read)) return false;
  const { mode, operation, input, ...texts } = read;
  return (
    (mode === 'build' || mode === 'paste') &&
    isText(operation) &&
    operation in EXAMPLES &&
    isInput(input) &&
    Object.values(texts).every(isText)
  );
}

function isInput(value: unknown): value is Input {
  if (!hasMembers(value)) return false;
  return Object.entries(value).every(([name, member]) => {
    if (['headers', 'fields', 'members'].includes(name)) return isTextPairs(member);
    if (name === 'parameters') return isParameters(member);
    if (name === 'content') return hasMembers(member) && isText(member['bytes']);
    return isText(member);
  });
}
