/**
 * What `serve` assumes where an option does not say it; its help names them.
 *
 * @module
 */

/** The bucket that files are loaded into. */
export const SEEDED_BUCKET = 'demo';

/** The folder of the certificate authority, below the home of the user. */
export const AUTHORITY_FOLDER = '.svc-conformance/authority';
