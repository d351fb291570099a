/**
 * The text that a file request signs (§5.2, §5.4).
 *
 * @module
 */

/** What the signed text is made of, in its order. */
export interface SignedParts {
  readonly verb: string;
  readonly contentMd5: string;
  readonly contentType: string;
  /** `Date` in a header-signed request (§5.2), `Expires` in a pre-signed one (§5.4). */
  readonly date: string;
  readonly canonicalHeaders: string;
  readonly canonicalResource: string;
  /** The callback policy as it is sent; empty without one. */
  readonly policy: string;
}

/** The HTTP verb as it is signed. §5.2 names it in upper case only. */
export function verb(method: string): string {
  return method.toUpperCase();
}

/** Lays out the text that the signature covers. An absent part leaves its line break. */
export function signedText(parts: SignedParts): string {
  return (
    `${parts.verb}\n` +
    `${parts.contentMd5}\n` +
    `${parts.contentType}\n` +
    `${parts.date}\n` +
    parts.canonicalHeaders +
    parts.canonicalResource +
    parts.policy
  );
}
