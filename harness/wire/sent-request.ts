/**
 * A request that a client sent, as reports show it.
 *
 * @module
 */
import type { SignedIn, VendorText } from '../../reference/server/judgement.ts';
import type { SignedLine } from '../explain/signed-lines.ts';

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** Of the answer. */
  readonly status: number;
  /** RetCode of the answer; 0 where all is well. */
  readonly code: number;
  readonly signedIn?: SignedIn;
  readonly publicKey?: string;
  /** The text of a published SDK that was signed in the place of the specification's. */
  readonly vendorText?: VendorText;
  /** The string to sign in its parts; none where it cannot be made out. */
  readonly lines: readonly SignedLine[];
}
