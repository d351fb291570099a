/**
 * Keeps the private key out of everything that is printed.
 *
 * The string to sign is shown without it from the start; this is for requests that carry it, and for errors.
 *
 * @module
 */
import { hidingKeys } from '../../reference/server/secret-keys.ts';
import { UsageError } from '../errors.ts';

export interface Hide {
  readonly text: (text: string) => string;
  readonly error: (error: unknown) => Error;
}

/**
 * Hides a private key, in whichever form a text carries it.
 *
 * @param publicKey is hidden too, where it may be the private key: the two may have been exchanged
 */
export function hiding(privateKey: string, publicKey = ''): Hide {
  const [hidden, other] = [hidingKeys([privateKey]), hidingKeys([publicKey], '<public key>')];
  const text = (shown: string): string => other(hidden(shown));
  return {
    text,
    error(error) {
      if (error instanceof UsageError) return new UsageError(text(error.message));
      if (!(error instanceof Error)) return new Error(text(String(error)));
      const safe = new Error(text(error.message));
      safe.name = text(error.name);
      safe.stack = text(error.stack ?? String(error));
      return safe;
    },
  };
}
