/**
 * `serve`: the service itself, on this machine.
 *
 * @module
 */
import { createWriteStream, openSync } from 'node:fs';
import { EXIT, UsageError } from '../errors.ts';
import { print, warn } from '../output.ts';
import { visible, visibleWithin } from '../report/excerpt.ts';
import { logLine } from '../serve/access-log.ts';
import { folderReport } from '../serve/folder-check.ts';
import { type Exchange, StartError, startServer } from '../serve/start.ts';
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
  const checked = textOption(given, 'check');
  if (checked !== undefined) return checkData(checked, given);
  const log = logOf(given);
  const options = await serverOptions(given);
  try {
    const server = await startServer({
      ...options,
      onExchange: (exchange) => {
        log?.(logLine(exchange));
        if (exchange.status === INTERNAL_ERROR) warn(failureLine(exchange));
      },
    });
    for (const line of faultLines(server.faults)) warn(`svc-conformance: ${line}\n`);
    print(`svc-conformance listens on ${server.url}\n`);
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

async function checkData(path: string, { values }: Parsed): Promise<number> {
  if (Object.keys(values).length > 1) {
    throw new UsageError('--check reads a data folder and starts no server; give it alone');
  }
  const { isWhole, lines } = await folderReport(path);
  for (const line of lines) print(`${visibleWithin(line)}\n`);
  return isWhole ? EXIT.asExpected : EXIT.badData;
}

const INTERNAL_ERROR = 500;

/** Without the query, which may hold a signature, and without the rest of the stack, which the log has. */
function failureLine({ id, method, host, target, message = '' }: Exchange): string {
  const [path = ''] = target.split('?');
  const [what = ''] = message.split('\n');
  const request = visibleWithin(`${method} ${host}${path}`);
  return `svc-conformance: request ${id} failed: ${request}: ${visibleWithin(what)}\n`;
}

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
  if (target === '-') return (line) => print(line);
  const file = createWriteStream(target, { fd: openedLog(target) });
  file.once('error', ({ message }) => {
    warn(`svc-conformance: the log is not written any more: ${message}\n`);
  });
  return (line) => file.write(line);
}

/** Opened before the server starts: a path that cannot be is a mistake of the command line. */
function openedLog(target: string): number {
  try {
    return openSync(target, 'a');
  } catch (error) {
    const { code = 'an error' } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `the log cannot be written to ${visible(target)} (${code}); name a file in a folder that exists and is yours to write to`,
    );
  }
}
