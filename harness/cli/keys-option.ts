/**
 * The option that names a key pair.
 *
 * @module
 */
import type { Option } from './verb.ts';

export const KEYS: Option = {
  type: 'text',
  value: 'FILE',
  help: 'a file with publicKey and privateKey as YAML, JSON or lines NAME=VALUE (default: the variables SVC_PUBLIC_KEY and SVC_PRIVATE_KEY)',
};
