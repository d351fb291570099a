/**
 * The callback policy (not in the specification; observed).
 *
 * @module
 */
import { base64Url } from './base64.ts';
import type { Pair } from './types.ts';
import { utf8Bytes } from './utf-8.ts';

/** URL-safe Base64 of compact JSON. It is signed and sent as this text. */
export function policy(members: readonly Pair[]): string {
  const json = members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return base64Url(utf8Bytes(`{${json.join(',')}}`));
}
