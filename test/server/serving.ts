/**
 * Runs `serve` in this process, for tests of its options.
 *
 * @module
 */

import { onTestFinished } from 'vitest';
import {
  type RunningServer,
  type ServerOptions,
  startServer,
} from '../../harness/respondents/serve/start.ts';
import { type Ended, svcConformance } from '../harness/svc-conformance.ts';

/** The URL in the first line that `serve` prints. */
export function urlIn(text: string): string {
  const url = /^svc-conformance listens on (https?:\/\/127\.0\.0\.1:\d+)\n/.exec(text)?.[1];
  return url ?? `not a readiness line: ${text}`;
}

/** Without an authority, so that no test writes into the home folder of the user. */
export const SERVE: readonly string[] = ['serve', '--port', '0', '--authority', 'off'];

/** Starts `serve`, calls `act` with its URL, then interrupts it. */
export async function served(
  parameters: readonly string[],
  act: (url: string) => Promise<unknown>,
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  let acted: Promise<unknown> | undefined;
  const ended = await svcConformance([...SERVE, ...parameters], {
    environment,
    meanwhile: ({ onStdout, interrupt }) =>
      onStdout((line) => {
        if (acted) return;
        acted = act(urlIn(line)).finally(interrupt);
        // Not unhandled: the promise is awaited after the call.
        acted.catch(() => {});
      }),
  });
  await acted;
  return ended;
}

/** A server on a free port that is closed when the test ends; not for concurrent tests. */
export async function started(options: ServerOptions = {}): Promise<RunningServer> {
  const server = await startServer({ port: 0, ...options });
  onTestFinished(() => server.close());
  return server;
}
