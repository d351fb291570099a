/**
 * What an operation of the service is, and what it gets to work with.
 *
 * @module
 */
import type { Context, KeyPair, Pair } from '../signing/index.ts';
import type { Answer } from './answer.ts';
import type { Exchange } from './exchange.ts';
import type { Diagnose, Judgement } from './judgement.ts';
import type { Bucket, Store } from './store/store.ts';
import type { WireRequest } from './wire-request.ts';

/** A key pair that the server knows. */
export interface Account extends KeyPair {
  /** It is published: nothing about it is a secret. */
  readonly isDevelopment: boolean;
}

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
  /** The recent ones, the oldest first, for the page that shows them; nothing where it is switched off. */
  readonly exchanges?: () => readonly Exchange[];
  /** Where the server listens: beside the names of loopback, the page is shown to those who call the server so. */
  readonly host?: string;
}

/** Whom a request is for. */
export type Address =
  | { readonly kind: 'actions' }
  | { readonly kind: 'bucket'; readonly bucket: string }
  /** A loopback address that no bucket is bound to: the bucket is the one that the signature fits. */
  | { readonly kind: 'unnamed bucket' }
  /** The server itself: health, recent requests. */
  | { readonly kind: 'own'; readonly path: string }
  /** A host that is none of the service's. */
  | { readonly kind: 'foreign' };

/** A file request, its bucket and key known and its signature judged. */
export interface FileCall {
  readonly service: Service;
  readonly wire: WireRequest;
  readonly bucket: Bucket;
  /** Decoded; of a form and an instant upload that of the field or parameter; empty where the request is about the bucket. */
  readonly key: string;
  /** Decoded parameters of the query, in their order; a flag without "=" has the empty text. */
  readonly query: ReadonlyMap<string, string>;
  /** Of a form `unsigned`, until its fields are there and `judgedForm` judges them. */
  readonly judgement: Judgement;
  /**
   * Judges a form once its fields are there, and throws what refuses it. Nobody is let in by a form before.
   *
   * Fulfilled with the call as it goes on: an address that names no bucket leaves it to the signature.
   */
  readonly judgedForm: (form: SignedForm) => Promise<FileCall>;
}

/** What the signature of a form covers beside the headers of its request (§4.3). */
export interface SignedForm {
  readonly key: string;
  /** Those before the file, in their order. */
  readonly fields: readonly Pair[];
  /** Content-Type of the part that is the file, as it is written there; it counts where no field says it. */
  readonly fileType: string | undefined;
}

export interface FileOperation {
  readonly name: string;
  /** Whether anybody may do it in a public bucket. */
  readonly isPublicRead: boolean;
  /** Where its signature is, if not in the header or the URL: in the form, which the operation has judged itself, or nowhere. */
  readonly signedIn?: 'form' | 'nowhere';
  /** Whether it is an upload whose Authorization may go on with a callback policy. */
  readonly takesPolicy?: true;
  readonly answer: (call: FileCall) => Promise<Answer>;
}

/** What became of a request. */
export interface Outcome {
  readonly answer: Answer;
  readonly operation?: string;
  readonly bucket?: string;
  readonly key?: string;
  readonly judgement?: Judgement;
  readonly message?: string;
}
