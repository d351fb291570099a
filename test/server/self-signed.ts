/**
 * Certificates that sign themselves.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The paths of a new key and its certificate for localhost, with further options of openssl. */
export function selfSigned(
  folder: string,
  more = '',
): { readonly key: string; readonly cert: string } {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const options = `-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost ${more}`;
  const parameters = ['req', '-x509', ...options.trim().split(' '), '-keyout', key, '-out', cert];
  execFileSync('openssl', parameters, { stdio: 'ignore' });
  return { key, cert };
}
