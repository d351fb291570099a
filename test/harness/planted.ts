/**
 * Deliberately wrong adapters, and the mistakes that are planted in each.
 *
 * @module
 */

import { PYTHON } from '../python.ts';
import { programPath } from './program-path.ts';

export interface Planted {
  readonly name: string;
  readonly command: readonly string[];
  /** Ids of known mistakes; empty if the planted mistake is not a known one. */
  readonly mistakes: readonly string[];
}

/** Single mistakes, pairs and triples, in signing and in verifying. */
const MISTAKES: readonly (readonly string[])[] = [
  ['headers-merged-by-comma-space'],
  ['folds-kept'],
  ['resource-encoded'],
  ['hmac-long-key-cut'],
  ['signature-url-safe'],
  ['authorization-without-space'],
  ['escape-space-as-plus'],
  ['action-text-as-query'],
  ['json-numbers-as-doubles'],
  ['query-signature-sorted-in'],
  ['presigned-as-get'],
  ['presigned-positions-left-out'],
  ['etag-blocks-reversed'],
  ['etag-decoded-as-utf-8'],
  ['verify-trimmed-signature'],
  ['verify-path-plus-as-space'],
  ['received-signature/zeros-lost'],
  ['signed-value/stripped-java'],
  ['headers-as-in-the-worked-example', 'headers-merged-by-comma-space'],
  ['signature-url-safe', 'folds-kept'],
  ['empty-value-unsigned', 'escape-tilde'],
  ['resource-encoded', 'presigned-as-get'],
  ['etag-hexadecimal', 'escape-twice'],
  ['etag-kind-in-place-of-count', 'part-hash/as-file'],
  ['headers-as-in-the-worked-example', 'headers-merged-by-comma-space', 'signature-url-safe'],
  ['hmac-long-key-cut', 'resource-encoded', 'query-signature-sorted-in'],
  ['empty-value-unsigned', 'folds-kept', 'etag-blocks-reversed'],
];

/** Mistakes that show only in requests that must be refused. */
const REFUSALS: readonly (readonly string[])[] = [
  ['header-values-checked-for-crlf-only'],
  ['number-parsed-leniently'],
  ['verify-scheme-glued'],
  ['verify-expiry-with-tolerance'],
  ['verify-json-comments-and-commas', 'verb-unchecked'],
];

/** An adapter that makes these mistakes in all operations; without mistakes, a correct one. */
export function plant(mistakes: readonly string[]): Planted {
  const command = [process.execPath, programPath('makes-mistakes.mjs'), ...mistakes];
  return { name: mistakes.join(' and '), command, mistakes };
}

function patched(name: string, patch: readonly string[], mistakes: readonly string[]): Planted {
  return { name, command: [PYTHON, programPath('patched.py'), ...patch], mistakes };
}

export const PLANTED: readonly Planted[] = MISTAKES.map(plant);

export const PLANTED_REFUSALS: readonly Planted[] = REFUSALS.map(plant);

const UNSORTED = ['in sorted(merged)', 'in merged'];
const COMMA_SPACE = ['",".join(merged[name])', '", ".join(merged[name])'];
const URL_SAFE = ['signature=base64.b64encode', 'signature=base64.urlsafe_b64encode'];

/** The Python adapter with texts of its source replaced. */
export const PLANTED_IN_PYTHON: readonly Planted[] = [
  patched('leaves headers unsorted', UNSORTED, ['headers-as-in-the-worked-example']),
  patched('joins values by comma and space', COMMA_SPACE, ['headers-merged-by-comma-space']),
  patched(
    'does both, and writes URL-safe signatures',
    [...UNSORTED, ...COMMA_SPACE, ...URL_SAFE],
    ['headers-as-in-the-worked-example', 'headers-merged-by-comma-space', 'signature-url-safe'],
  ),
];

const ROTATED = ['"/" + bucket + "/" + key', '"/" + bucket + "/" + key[1:] + key[:1]'];

/** The Python adapter with unknown mistakes. */
export const UNKNOWN_IN_PYTHON: readonly Planted[] = [
  patched('signs the key with its first character last', ROTATED, []),
  patched(
    'sorts headers by their last characters',
    ['in sorted(merged)', 'in sorted(merged, key=lambda name: (name[-1], name))'],
    [],
  ),
  patched('escapes other bytes', ['f"%{byte:02X}"', 'f"%{byte ^ 1:02X}"'], []),
];
