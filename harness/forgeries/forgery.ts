/**
 * Requests signed with a known mistake, as questions to verifiers: each must be refused.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import type { Question } from '../adapter/messages.ts';
import { packagePath } from '../suite/package-root.ts';
import type { Input, KeyPair } from '../suite/vector.ts';

/** A forged request and the same one rightly signed. */
export interface Forgery {
  /** The operation that verifies it. */
  readonly operation: string;
  /** The signing vector whose request it is. */
  readonly vector: string;
  readonly keys: KeyPair;
  readonly input: Input;
  /** Why the specification refuses it: for its signature, or for its form. */
  readonly reason: string;
  /** Every known mistake with which a signer sends exactly this. */
  readonly mistakes: readonly string[];
  /** Further mistakes with which a verifier accepts it. */
  readonly acceptedWith?: readonly string[];
  /** Must be accepted; forgeries of one request share it. */
  readonly control: Question;
  /** Left out where the adapter offers this operation too, whose forgeries show the same mistakes. */
  readonly unlessOffered?: string;
}

/** Forgeries as a file holds them: each control once. */
export interface ForgeryFile {
  readonly controls: readonly Question[];
  readonly forgeries: readonly (Omit<Forgery, 'operation' | 'keys' | 'control'> & {
    /** Its position. */
    readonly control: number;
  })[];
}

export const FORGERIES = 'dist/forgeries.json';

/** Reads the forgeries that the package was built with: signing them anew would cost a run its time. */
export function bundledForgeries(): readonly Forgery[] {
  const file = JSON.parse(readFileSync(packagePath(FORGERIES), 'utf8')) as ForgeryFile;
  return file.forgeries.flatMap(({ control: index, ...forgery }) => {
    const control = file.controls[index];
    if (!control) return [];
    return [{ ...forgery, operation: control.operation, keys: control.keys, control }];
  });
}

/** Those that an adapter is asked about. */
export function offeredForgeries(
  forgeries: readonly Forgery[],
  operations: readonly string[],
): readonly Forgery[] {
  return forgeries.filter(
    ({ operation, unlessOffered }) =>
      operations.includes(operation) &&
      (unlessOffered === undefined || !operations.includes(unlessOffered)),
  );
}
