/**
 * Hides the private key in all output.
 *
 * The string to sign is computed without the key; this is for requests that contain the key, and for errors.
 *
 * @module
 */
import { keyHider } from '../../../reference/secret-keys.ts';
import { UsageError } from '../errors.ts';

export interface Hide {
  readonly text: (text: string) => string;
  readonly error: (error: unknown) => Error;
}

/**
 * Creates functions that hide a private key in any encoding.
 *
 * @param publicKey is hidden too, if the user may have swapped the two keys
 */
export function createHider(privateKey: string, publicKey = ''): Hide {
  const [hidden, other] = [keyHider([privateKey]), keyHider([publicKey], '<public key>')];
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
