/**
 * Keeps the private key out of everything that is printed.
 *
 * The string to sign is shown without it from the start; this is for requests that carry it, and for errors.
 *
 * @module
 */
import { urlEncode } from '../../reference/signing/index.ts';
import { UsageError } from '../errors.ts';
import { visible } from '../report/excerpt.ts';

export interface Hide {
  readonly text: (text: string) => string;
  readonly error: (error: unknown) => Error;
}

const INSTEAD = '<private key>';

/** Hides a private key, as it is and as it may be escaped. */
export function hiding(privateKey: string): Hide {
  const forms = new Set([
    privateKey,
    visible(privateKey).slice(1, -1),
    JSON.stringify(privateKey).slice(1, -1),
    urlEncode(privateKey),
    encodeURIComponent(privateKey),
    Buffer.from(privateKey, 'utf8').toString('base64'),
  ]);
  // The longest first, so that no rest of one is left.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const text = (shown: string): string =>
    longestFirst.reduce((hidden, form) => hidden.replaceAll(form, () => INSTEAD), shown);
  return {
    text,
    error(error) {
      if (error instanceof UsageError) return new UsageError(text(error.message));
      const safe = new Error(text(String(error)));
      safe.stack = text((error instanceof Error && error.stack) || String(error));
      return safe;
    },
  };
}
