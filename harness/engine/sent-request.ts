/**
 * A client's request, as reports show it.
 *
 * @module
 */
import type { SignedIn } from '../../reference/signing/index.ts';
import type { VendorText } from '../../reference/vendor-texts.ts';

export interface SignedLine {
  readonly name: string;
  /** The text of the line, with its line feed; the last line has none. */
  readonly text: string;
  readonly origin: string;
}

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** The HTTP status of the response. */
  readonly status: number;
  /** The RetCode of the response; 0 means success. */
  readonly code: number;
  readonly signedIn?: SignedIn;
  readonly publicKey?: string;
  /** The SDK-specific text that the client signed instead of the specification's. */
  readonly vendorText?: VendorText;
  /** The lines of the string to sign; empty if it cannot be determined. */
  readonly lines: readonly SignedLine[];
}

/** The HTTP status, and the RetCode unless it is 0. */
export function formatStatus({ status, code }: Pick<SentRequest, 'status' | 'code'>): string {
  return code === 0 ? `${status}` : `${status} ${code}`;
}
