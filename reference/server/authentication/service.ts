/**
 * What an operation of the service is, and what it works with.
 *
 * @module
 */

import type { Account } from '../../secret-keys.ts';
import type { Context, Pair } from '../../signing/index.ts';
import type { Answer, Exchange, WireRequest } from '../messages/exchange.ts';
import type { Diagnose } from '../messages/judgement.ts';
import type { Bucket, Store } from '../store/store.ts';

export interface Service {
  readonly store: Store;
  readonly accounts: readonly Account[];
  readonly context: Context;
  /** Unix seconds. */
  readonly now: () => number;
  /** Whether only the text of the specification is accepted. */
  readonly isStrict: boolean;
  /** Whether callbacks are made, and then to loopback only. */
  readonly makesCallbacks: boolean;
  readonly region: string;
  readonly diagnose: Diagnose;
  /** For the page of recent requests, the oldest first; undefined if the page is switched off. */
  readonly exchanges?: () => readonly Exchange[];
  /** Where the server listens; the page of recent requests is shown under this name, and under those of loopback. */
  readonly host?: string;
}

/** A file request whose bucket and key are known and whose signature is verified. */
export interface FileCall {
  readonly service: Service;
  readonly wire: WireRequest;
  readonly bucket: Bucket;
  /** Decoded. A form names it in a field, and an instant upload in a parameter. Empty if the request is about the bucket. */
  readonly key: string;
  /** Decoded parameters, in their order; a flag without "=" has the empty text. */
  readonly query: ReadonlyMap<string, string>;
  /**
   * Verifies the signature of a form once its fields are read; nothing may be stored before.
   *
   * Fulfilled with the call to go on with: if the address names no bucket, the signature decides.
   */
  readonly authorizeForm: (form: SignedForm) => Promise<FileCall>;
}

/** What the signature of a form covers beside the headers of its request (§4.3). */
export interface SignedForm {
  readonly key: string;
  /** The fields before the file, in their order. */
  readonly fields: readonly Pair[];
  /** Content-Type of the file's part, as it is written; it counts if no field has one. */
  readonly fileType: string | undefined;
}

export interface FileOperation {
  readonly name: string;
  /** Whether a public bucket allows it without a signature. */
  readonly isPublicRead?: true;
  /** Where its signature is, if not in the header or the URL; the operation itself has a form verified. */
  readonly signedIn?: 'form' | 'nowhere';
  /** Whether it is an upload whose Authorization may end with a callback policy. */
  readonly takesPolicy?: true;
  readonly answer: (call: FileCall) => Promise<Answer>;
}
