/**
 * The service as a server for test code: `import { startServer } from 'svc-conformance/server'`.
 *
 * @module
 */
import {
  dialectOf,
  type RunningServer,
  type ServerOptions,
} from '../../reference/server/options.ts';
import { startServer as startService } from '../../reference/server/server.ts';
import { diagnosing } from './diagnosis.ts';

export type { Exchange } from '../../reference/server/exchange.ts';
export { DEVELOPMENT_KEYS } from '../../reference/server/options.ts';
export { StartError } from '../../reference/server/start-error.ts';
export type { RunningServer, ServerOptions };

/**
 * Starts a server that answers a wrong signature with the mistake it shows; it listens once the promise is fulfilled.
 *
 * @throws StartError that says why it cannot listen, or why its data cannot be used
 */
export function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  return startService({ diagnose: diagnosing(dialectOf(options)), ...options });
}
