/**
 * The key pair that the server under test knows.
 *
 * @module
 */
import { DEVELOPMENT_KEYS } from '../../reference/server/options.ts';
import { keyPairOfEnvironment, keyPairOfFile } from '../explain/key-pair.ts';
import type { KeyPair } from '../suite/vector.ts';

/**
 * The pair of a file, else that of the environment, else the published one of the built-in server.
 *
 * Half a pair in the environment is a mistake, and no wish for the published one.
 */
export async function accountOf(
  file: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<KeyPair> {
  if (file !== undefined) return keyPairOfFile(file);
  const { SVC_PUBLIC_KEY, SVC_PRIVATE_KEY } = environment;
  return SVC_PUBLIC_KEY || SVC_PRIVATE_KEY ? keyPairOfEnvironment(environment) : DEVELOPMENT_KEYS;
}
