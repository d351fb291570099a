/**
 * The option that names a key pair.
 *
 * @module
 */
import type { Option } from './verb.ts';

export const KEYS: Option = {
  type: 'text',
  value: 'FILE',
  help: 'the key pair: publicKey and privateKey as YAML, as JSON or as lines NAME=VALUE. Without it, the variables SVC_PUBLIC_KEY and SVC_PRIVATE_KEY',
};
