/**
 * What is found about the signature of a request (§5, E1).
 *
 * @module
 */
import type { HeaderList, KeyPair, RefusalReason } from '../signing/index.ts';

export type SignedIn = 'header' | 'url' | 'form' | 'query' | 'json';

export type Judgement =
  | { readonly kind: 'unsigned' }
  | {
      readonly kind: 'right';
      readonly signedIn: SignedIn;
      readonly publicKey: string;
      /** The text that a published SDK signs where it is not that of the specification. */
      readonly vendorText?: VendorText;
      /** What was judged. */
      readonly request?: SuspectRequest;
    }
  | {
      readonly kind: 'wrong';
      readonly signedIn: SignedIn;
      readonly publicKey: string | undefined;
      readonly reason: RefusalReason | 'signed-twice' | 'vendor-text';
      /** One sentence: what, observed, rule. */
      readonly message: string;
      readonly diagnosis?: Diagnosis;
      /** What was judged; nothing where it did not come to that. */
      readonly request?: SuspectRequest;
    };

/** Texts that published SDKs sign for some requests beside the one of §5.2. */
export type VendorText =
  | 'copy-source-lines'
  | 'list-parameters'
  | 'raw-append-query'
  /** §5.4 leaves the lines of Content-MD5 and Content-Type empty; the service's newer documentation fills them in. */
  | 'presigned-content-headers';

/** Which mistake a wrong signature shows. */
export interface Diagnosis {
  /** The string to sign in its parts, each with where it comes from; without the private key. */
  readonly lines: readonly SignedLine[];
  /** The whole of it. */
  readonly stringToSign: string;
  /** The right signature; only of a development key, which is no secret. */
  readonly expected?: string;
  readonly received: string;
  /** What explains the signature to the last character: each alone, or where an entry has several, together. */
  readonly causes: readonly (readonly Cause[])[];
  /** How many known mistakes were tried. */
  readonly tried: number;
  /** Why the search for causes found fewer than it may: there was no time, or it was not made. */
  readonly note?: string;
}

export interface SignedLine {
  readonly name: string;
  readonly text: string;
  readonly origin: string;
}

export interface Cause {
  /** In the register of mistakes; nothing where another request was signed. */
  readonly id?: string;
  readonly rule: string;
  readonly cause: string;
  readonly fix: string;
}

/** A request as those see it who look for the cause of a wrong signature. */
export interface SuspectRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderList;
  /** Of a form without its file. */
  readonly body: string;
  readonly bucket: string | undefined;
}

/** The server knows the rules; the register of mistakes is somebody else's. */
export type Diagnose = (
  request: SuspectRequest,
  keys: KeyPair,
  isDevelopmentKey: boolean,
) => Diagnosis | undefined;
