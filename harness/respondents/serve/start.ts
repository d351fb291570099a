/**
 * The service as a server for test code: `import { startServer } from 'svc-conformance/server'`.
 *
 * @module
 */
import {
  type RunningServer,
  type ServerOptions,
  selectDialect,
} from '../../../reference/server/options.ts';
import { startServer as startService } from '../../../reference/server/server.ts';
import { createDiagnose } from './diagnosis.ts';

export type { Exchange } from '../../../reference/server/messages/exchange.ts';
export { DEVELOPMENT_KEYS, StartError } from '../../../reference/server/options.ts';
export type { RunningServer, ServerOptions };

/**
 * Starts a server that answers a wrong signature with the mistakes that explain it. The server listens once the promise
 * is fulfilled.
 *
 * @throws StartError if it cannot listen, or cannot use its data
 */
export function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  return startService({ diagnose: createDiagnose(selectDialect(options)), ...options });
}
