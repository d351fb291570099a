/**
 * The published key pair that the built-in server knows unless it is told others.
 *
 * @module
 */
import type { KeyPair } from '../suite/vector.ts';

export const DEVELOPMENT_KEYS: KeyPair = {
  publicKey: 'svc-conformance-development-public-key',
  privateKey: 'svc-conformance-development-private-key-which-is-no-secret',
};
