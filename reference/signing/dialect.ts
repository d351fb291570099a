/**
 * The three words in which deployments of the service differ, and nothing else.
 *
 * @module
 */

export interface Dialect {
  /** The word before the public key in an Authorization header (§5.2). */
  readonly scheme: string;
  /** How the names of extra headers start, in any case (§5.2). */
  readonly headerPrefix: string;
  /** The query parameter that carries the public key in a pre-signed URL (§5.4). */
  readonly publicKeyParameter: string;
}

/** The neutral words of the specification. */
export const SVC: Dialect = {
  scheme: 'Svc',
  headerPrefix: 'X-Svc-',
  publicKeyParameter: 'SvcPublicKey',
};

/** The words of the UCloud API and US3. */
export const UCLOUD: Dialect = {
  scheme: 'UCloud',
  headerPrefix: 'X-UCloud-',
  publicKeyParameter: 'UCloudPublicKey',
};
