/**
 * The forged requests that a server is asked about.
 *
 * @module
 */
import type { Dialect } from '../adapter/messages.ts';
import { bundledForgeries, type Forgery } from '../forgeries/forgery.ts';
import { reforged } from '../forgeries/reforged.ts';
import { inWordsOf } from '../rederive/dialect.ts';
import type { KeyPair, Suite } from '../suite/vector.ts';
import type { Place } from './placed-input.ts';
import { placedSigner } from './placing.ts';

export interface ServerForgeries {
  readonly forgeries: readonly Forgery[];
  /** Those of the package that cannot be made: with this key pair and bucket the mistake changes nothing. */
  readonly lost: readonly Forgery[];
}

/** The forgeries of the package, signed anew with the key pair of the server. */
export function serverForgeries(
  suite: Suite,
  keys: KeyPair,
  place: Place,
  dialect: Dialect,
): ServerForgeries {
  const bundled = bundledForgeries();
  const named = new Set(bundled.map(({ vector }) => vector));
  const signers = suite.vectors
    .filter(({ id }) => named.has(id))
    .map((vector) => placedSigner(vector, keys, place));
  const forgeries = reforged(bundled, inWordsOf(dialect, signers), dialect);
  const isMade = (old: Forgery): boolean =>
    forgeries.some(
      ({ vector, mistakes }) =>
        vector === old.vector && old.mistakes.some((name) => mistakes.includes(name)),
    );
  return { forgeries, lost: bundled.filter((old) => !isMade(old)) };
}
