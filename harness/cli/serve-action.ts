/**
 * Runs the service until an interrupt. Loaded when `serve` runs, not for its help.
 *
 * @module
 */
import { createWriteStream, openSync } from 'node:fs';
import { EXIT, UsageError } from '../engine/errors.ts';
import { escapeInvisible, quote } from '../engine/excerpt.ts';
import { formatLogLine } from '../respondents/serve/access-log.ts';
import { checkDataFolder } from '../respondents/serve/folder-check.ts';
import { type Exchange, StartError, startServer } from '../respondents/serve/start.ts';
import type { Call } from './call.ts';
import { serverOptions } from './serve-options.ts';
import { type Parsed, textOption } from './verb.ts';

export async function serveUntilInterrupt(given: Parsed, call: Call): Promise<number> {
  if (given.positionals.length > 0) {
    throw new UsageError(
      `serve takes options only, not ${quote(given.positionals[0] ?? '')}; name a bucket with --bucket NAME`,
    );
  }
  const checked = textOption(given, 'check');
  if (checked !== undefined) return checkData(checked, given, call);
  const log = openLog(given, call);
  const options = await serverOptions(given);
  try {
    const server = await startServer({
      ...options,
      onExchange: (exchange) => {
        log?.write(formatLogLine(exchange));
        if (exchange.status === INTERNAL_ERROR) call.warn(failureLine(exchange));
      },
    });
    for (const line of faultLines(server.faults)) call.warn(`svc-conformance: ${line}\n`);
    call.print(`svc-conformance listens on ${server.url}\n`);
    await call.waitForInterrupt();
    await server.close();
    if (log) await new Promise<void>((resolve) => log.end(resolve));
    return EXIT.asExpected;
  } catch (error) {
    if (error instanceof StartError) throw new UsageError(error.message);
    throw error;
  }
}

async function checkData(path: string, { values }: Parsed, call: Call): Promise<number> {
  if (Object.keys(values).length > 1) {
    throw new UsageError('--check reads a data folder and starts no server; give it alone');
  }
  const { isWhole, lines } = await checkDataFolder(path);
  for (const line of lines) call.print(`${escapeInvisible(line)}\n`);
  return isWhole ? EXIT.asExpected : EXIT.badData;
}

const INTERNAL_ERROR = 500;

/** Without the query, which may contain a signature, and without the stack, which the log has. */
function failureLine({ id, method, host, target, message = '' }: Exchange): string {
  const [path = ''] = target.split('?');
  const [what = ''] = message.split('\n');
  const request = escapeInvisible(`${method} ${host}${path}`);
  return `svc-conformance: request ${id} failed: ${request}: ${escapeInvisible(what)}\n`;
}

/** More damaged files than this are counted. */
const SHOWN_FAULTS = 10;

function faultLines(faults: readonly string[]): readonly string[] {
  if (faults.length === 0) return [];
  const more = faults.length - SHOWN_FAULTS;
  return [
    ...faults.slice(0, SHOWN_FAULTS).map(escapeInvisible),
    `${more > 0 ? `${more} more are damaged; ` : ''}what is damaged is answered 500 until it is put anew, and all else is served`,
  ];
}

interface Log {
  readonly write: (line: string) => unknown;
  readonly end: (done: () => void) => unknown;
}

/** Opens the log; undefined without `--log`. */
function openLog(given: Parsed, call: Call): Log | undefined {
  const target = textOption(given, 'log');
  if (target === undefined) return undefined;
  if (target === '-') return { write: (line) => call.print(line), end: (done) => done() };
  const file = createWriteStream(target, { fd: openedLog(target) });
  file.once('error', ({ message }) => {
    call.warn(`svc-conformance: the log is not written any more: ${message}\n`);
  });
  return file;
}

/** Opens the file before the server starts, so that a wrong path is a usage error. */
function openedLog(target: string): number {
  try {
    return openSync(target, 'a');
  } catch (error) {
    const { code = 'an error' } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `the log cannot be written to ${quote(target)} (${code}); name a file in a folder that exists and is yours to write to`,
    );
  }
}
