/**
 * The service as a server for test code: `import { startServer } from 'svc-conformance/server'`.
 *
 * @module
 */
import type { CertificateAuthority } from '../../../reference/server/http/tunnel.ts';
import {
  type RunningServer,
  type ServerOptions,
  selectDialect,
} from '../../../reference/server/options.ts';
import { startServer as startService } from '../../../reference/server/server.ts';
import { openAuthority as openFolder } from './authority.ts';
import { createDiagnose } from './diagnosis.ts';

export type { Exchange } from '../../../reference/server/messages/exchange.ts';
export { DEVELOPMENT_KEYS, StartError } from '../../../reference/server/options.ts';
export type { CertificateAuthority, RunningServer, ServerOptions };

/**
 * Starts a server that answers a wrong signature with the mistakes that explain it. The server listens once the promise
 * is fulfilled.
 *
 * @throws StartError if it cannot listen, or cannot use its data
 */
export function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  return startService({ diagnose: createDiagnose(selectDialect(options)), ...options });
}

/**
 * Opens the certificate authority in a folder, for the option `authority`; the first call creates both.
 *
 * @throws StartError if the folder cannot be used
 */
export function openAuthority(folder: string): CertificateAuthority {
  return openFolder(folder);
}
