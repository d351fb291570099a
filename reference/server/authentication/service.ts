/**
 * The service: an operation, the context in which it runs, and which account may use which bucket.
 *
 * @module
 */

import type { Account } from '../../secret-keys.ts';
import type { Context, Pair } from '../../signing/index.ts';
import type { Answer, Exchange, WireRequest } from '../messages/exchange.ts';
import type { Diagnose } from '../messages/judgement.ts';
import type { Bucket } from '../store/entries.ts';
import type { Store } from '../store/store.ts';

export interface Service {
  readonly store: Store;
  readonly accounts: readonly Account[];
  /** The public key that the request is signed with; undefined before its signature is verified, and without one. */
  readonly actor?: string;
  readonly context: Context;
  /** Unix seconds. */
  readonly now: () => number;
  readonly isStrict: boolean;
  /** Whether callbacks are sent, only to loopback addresses. */
  readonly makesCallbacks: boolean;
  readonly region: string;
  readonly diagnose: Diagnose;
  /** The recent requests for the page, the oldest first; undefined if the page is switched off. */
  readonly exchanges?: () => readonly Exchange[];
  /** The name at which the server listens. The page of recent requests is shown only under this name and loopback names. */
  readonly host?: string;
  /** Makes everything as it was after the start. */
  readonly reset?: () => Promise<void>;
  /** The certificate that clients have to trust for https, as PEM. */
  readonly certificate?: string;
}

/** A file request whose bucket and key are known and whose signature is verified. */
export interface FileCall {
  readonly service: Service;
  readonly wire: WireRequest;
  readonly bucket: Bucket;
  /** The decoded key: from the path, from a field of a form, or from a parameter of an instant upload. Empty for a request on the bucket. */
  readonly key: string;
  /** The decoded parameters, in order. A parameter without "=" has an empty value. */
  readonly query: ReadonlyMap<string, string>;
  /**
   * Verifies the signature of a form once its fields are read. Call it before storing anything.
   *
   * Resolves to the call to continue with: if the address names no bucket, the signature determines it.
   */
  readonly authorizeForm: (form: SignedForm) => Promise<FileCall>;
}

/** The parts of a form that its signature covers, besides the headers of its request (§4.3). */
export interface SignedForm {
  readonly key: string;
  /** The fields before the file, in order. */
  readonly fields: readonly Pair[];
  /** The Content-Type of the file's part, as sent; it counts if no field has one. */
  readonly fileType: string | undefined;
}

export interface FileOperation {
  readonly name: string;
  /** Whether a public bucket allows this operation without a signature. */
  readonly isPublicRead?: true;
  /** Set if the signature is in a form, where the operation itself has it verified, or if the operation needs none. */
  readonly skipsSignature?: true;
  /** Whether this operation is an upload, whose Authorization may end with a callback policy. */
  readonly takesPolicy?: true;
  readonly answer: (call: FileCall) => Promise<Answer>;
}

/** The owner of a bucket that this account creates; undefined on a server for one account, where nothing is divided. */
export function ownerFor(
  accounts: readonly Account[],
  publicKey: string | undefined,
): string | undefined {
  return accounts.length > 1 ? publicKey : undefined;
}

/** Whether the bucket belongs to the account, or to every account. */
export function ownsBucket(
  accounts: readonly Account[],
  { owner }: Bucket,
  publicKey: string | undefined,
): boolean {
  return accounts.length === 1 || owner === undefined || owner === publicKey;
}
