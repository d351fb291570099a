/**
 * Keeps the private key out of everything that is printed.
 *
 * The string to sign is shown without it from the start; this is for requests that carry it, and for errors.
 *
 * @module
 */
import { hidingTexts, writtenForms } from '../../reference/server/secret-keys.ts';
import { UsageError } from '../errors.ts';
import { visible } from '../report/excerpt.ts';

export interface Hide {
  readonly text: (text: string) => string;
  readonly error: (error: unknown) => Error;
}

/** Hides a private key, as it is and as it may be escaped. */
export function hiding(privateKey: string): Hide {
  const text = hidingTexts([...writtenForms(privateKey), visible(privateKey).slice(1, -1)]);
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
