/**
 * `CanonicalizedResource` (§5.2).
 *
 * @module
 */

/**
 * Names the file a request is about: `"/" + Bucket + "/" + Key`.
 *
 * §5.2 joins the names themselves and mentions no percent-encoding, so the key
 * enters as it is named, even where the request path has to escape it.
 */
export function canonicalResource(bucket: string, key: string): string {
  return `/${bucket}/${key}`;
}
