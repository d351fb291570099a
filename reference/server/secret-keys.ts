/**
 * Keeps private keys out of all that is shown: some clients send theirs in the place of a signature.
 *
 * @module
 */
import { urlEncode } from '../signing/index.ts';
import type { Account } from './service.ts';

const INSTEAD = '<private key>';

/** A private key as it is and as it may be escaped. */
export function writtenForms(privateKey: string): readonly string[] {
  return [
    privateKey,
    JSON.stringify(privateKey).slice(1, -1),
    urlEncode(privateKey),
    encodeURIComponent(privateKey),
    Buffer.from(privateKey, 'utf8').toString('base64'),
  ];
}

/** Writes something else in the place of each of these texts. */
export function hidingTexts(texts: readonly string[]): (text: string) => string {
  // The longest first, so that no rest of one is left.
  const longestFirst = [...new Set(texts)]
    .filter((text) => text !== '')
    .sort((a, b) => b.length - a.length);
  return (shown) =>
    longestFirst.reduce((hidden, text) => hidden.replaceAll(text, () => INSTEAD), shown);
}

/** The same value without the private keys of accounts in any of its texts; that of development is no secret. */
export function withoutSecrets<Value>(accounts: readonly Account[], value: Value): Value {
  const secret = accounts.filter(({ isDevelopment }) => !isDevelopment);
  if (secret.length === 0) return value;
  const hide = hidingTexts(secret.flatMap(({ privateKey }) => writtenForms(privateKey)));
  return hiddenIn(value, hide) as Value;
}

function hiddenIn(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((entry) => hiddenIn(entry, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, hiddenIn(member, hide)]),
  );
}
