/**
 * What an operation of the service is, and what it gets to work with.
 *
 * @module
 */
import type { Context, KeyPair } from '../signing/index.ts';
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
  /** The recent ones, the oldest first, for the page that shows them. */
  readonly exchanges?: () => readonly Exchange[];
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
  /** Where the address names no bucket, those that a form may be signed for; else only `bucket`. */
  readonly candidates?: readonly Bucket[];
  /** Takes down what is only known once the body is read. */
  readonly noted?: (found: Pick<Outcome, 'bucket' | 'key' | 'judgement'>) => void;
}

export interface FileOperation {
  readonly name: string;
  /** Whether its signature stands in its body, so that the operation has it judged itself. */
  readonly isSignedInBody?: true;
  /** Whether anybody may do it in a public bucket. */
  readonly isPublicRead: boolean;
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
