/**
 * The callback policy (not in the specification; observed).
 *
 * @module
 */
import { base64Url } from './base64.ts';
import type { Context } from './steps.ts';
import type { Pair } from './types.ts';
import { utf8Bytes } from './utf-8.ts';

/** Base64 in the URL-safe or in the standard alphabet: SDKs write either. */
const BASE64 = /^(?:[A-Za-z0-9_-]+|[A-Za-z0-9+/]+)={0,2}$/;

/** URL-safe Base64 of compact JSON. It is signed and sent as this text. */
export function policy(members: readonly Pair[]): string {
  const json = members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return base64Url(utf8Bytes(`{${json.join(',')}}`));
}

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

/** Whether a request with this method can be an upload, which alone carries a policy. */
export function takesPolicy(method: string): boolean {
  return ['PUT', 'POST'].includes(method.toUpperCase());
}

/**
 * Why a verifier refuses the third part of a header; `undefined` where it may be a policy, or is absent.
 *
 * Nothing separates resource and policy in the signed text. A verifier that takes any third part
 * therefore accepts the signature for one key for every shorter prefix of that key.
 */
export function policyFault(method: string, text: string, { steps }: Context): string | undefined {
  if (text === '') return undefined;
  if (!steps.takesPolicy(method)) {
    return `header Authorization has a callback policy in a ${method} request; only an upload (PUT or POST) adds one to the form of §5.2; send scheme, public key and signature alone`;
  }
  if (steps.isPolicy(text)) return undefined;
  return `the callback policy ${JSON.stringify(text)} in header Authorization is not Base64 of a JSON object; encode the policy, or send the form of §5.2 without one`;
}
