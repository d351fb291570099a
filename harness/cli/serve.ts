/**
 * `serve`: the service itself, on this machine.
 *
 * @module
 */
import { createWriteStream } from 'node:fs';
import { EXIT, UsageError } from '../errors.ts';
import { visible, visibleWithin } from '../report/excerpt.ts';
import { logLine } from '../serve/access-log.ts';
import { StartError, startServer } from '../serve/start.ts';
import { SERVE_OPTIONS, serverOptions } from './serve-options.ts';
import { type Parsed, parsed, refuseCommand, textOption, type Verb } from './verb.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export const serveVerb: Verb = async (parameters) => {
  const given = parsed(parameters.map(withLogTarget), SERVE_OPTIONS);
  refuseCommand(given);
  if (given.positionals.length > 0) {
    throw new UsageError(
      `serve takes options only, not ${visible(given.positionals[0] ?? '')}; name a bucket with --bucket NAME`,
    );
  }
  const log = logOf(given);
  const options = await serverOptions(given);
  try {
    const server = await startServer({
      ...options,
      ...(log && { onExchange: (exchange) => log(logLine(exchange)) }),
    });
    for (const line of faultLines(server.faults))
      process.stderr.write(`svc-conformance: ${line}\n`);
    process.stdout.write(`svc-conformance listens on ${server.url}\n`);
    // A second signal ends it at once, as signals do.
    await new Promise<void>((resolve) => {
      for (const signal of SIGNALS) process.once(signal, () => resolve());
    });
    await server.close();
    return EXIT.asExpected;
  } catch (error) {
    if (error instanceof StartError) throw new UsageError(error.message);
    throw error;
  }
};

/** More damaged files than this are counted. */
const SHOWN_FAULTS = 10;

function faultLines(faults: readonly string[]): readonly string[] {
  if (faults.length === 0) return [];
  const more = faults.length - SHOWN_FAULTS;
  return [
    ...faults.slice(0, SHOWN_FAULTS).map(visibleWithin),
    `${more > 0 ? `${more} more are damaged; ` : ''}what is damaged is answered 500 until it is put anew, and all else is served`,
  ];
}

/** `--log` may stand without a value, which `parseArgs` does not know. */
function withLogTarget(parameter: string, at: number, all: readonly string[]): string {
  const next = all[at + 1];
  return parameter === '--log' && (next === undefined || /^-./.test(next)) ? '--log=-' : parameter;
}

/** Where the lines of the log go; nowhere without `--log`. */
function logOf(given: Parsed): ((line: string) => void) | undefined {
  const target = textOption(given, 'log');
  if (target === undefined) return undefined;
  if (target === '-') return (line) => process.stdout.write(line);
  const file = createWriteStream(target, { flags: 'a' });
  file.once('error', ({ message }) => {
    process.stderr.write(`svc-conformance: the log is not written any more: ${message}\n`);
  });
  return (line) => file.write(line);
}
