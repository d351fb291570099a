/**
 * Runs the service until an interrupt. Loaded when `serve` runs, not for its help.
 *
 * @module
 */
import { createWriteStream, openSync } from 'node:fs';
import { EXIT, UsageError } from '../engine/errors.ts';
import { escapeInvisible, quote } from '../engine/excerpt.ts';
import { checkDataFolder } from '../respondents/serve/folder-check.ts';
import {
  DEVELOPMENT_KEYS,
  type Exchange,
  type RunningServer,
  type ServerOptions,
  StartError,
  startServer,
} from '../respondents/serve/start.ts';
import { describeWrongRequest, formatLogLine } from '../respondents/serve/wrong-line.ts';
import type { Call } from './call.ts';
import { serverOptions } from './serve-options.ts';
import { findAuthority, situationOptions } from './serve-situation.ts';
import { type Parsed, textOption } from './verb.ts';

export async function serveUntilInterrupt(given: Parsed, call: Call): Promise<number> {
  if (given.positionals.length > 0) {
    throw new UsageError(
      `serve takes only options, not ${quote(given.positionals[0] ?? '')}; name a bucket with --bucket NAME`,
    );
  }
  const checked = textOption(given, 'check');
  if (checked !== undefined) return checkData(checked, given, call);
  try {
    return await serve(given, call);
  } catch (error) {
    if (error instanceof StartError) throw new UsageError(error.message);
    throw error;
  }
}

/** @throws StartError */
async function serve(given: Parsed, call: Call): Promise<number> {
  const log = openLog(given, call);
  const isQuiet = given.values['quiet'] === true;
  const options = await allOptions(given, call);
  const server = await startServer({
    ...options,
    onExchange: (exchange) => {
      log?.write(formatLogLine(exchange));
      const line = exchangeLine(exchange, isQuiet);
      if (line !== undefined) call.warn(line);
    },
  });
  // A client may interrupt it as soon as it has printed its address.
  const interrupted = call.waitForInterrupt();
  for (const line of faultLines(server.faults)) call.warn(`svc-conformance: ${line}\n`);
  call.print(`svc-conformance listens on ${server.url}\n`);
  if (!isQuiet) introduce(startLines(server, options), given, call);
  await interrupted;
  await server.close();
  if (log) await new Promise<void>((resolve) => log.end(resolve));
  return EXIT.asExpected;
}

async function allOptions(given: Parsed, call: Call): Promise<ServerOptions> {
  const situation = await situationOptions(given);
  const options = { ...(await serverOptions(given)), ...situation };
  const authority = findAuthority(given, call.env, (text) => call.warn(text));
  return { ...options, ...(authority && { authority }) };
}

/** Programs read standard output if the log goes there. */
function introduce(lines: string, given: Parsed, call: Call): void {
  if (textOption(given, 'log') === '-') call.warn(lines);
  else call.print(lines);
}

/** What standard error says of a request; most requests are not mentioned. */
function exchangeLine(exchange: Exchange, isQuiet: boolean): string | undefined {
  if (exchange.status === INTERNAL_ERROR && exchange.operation !== FAULT) {
    return failureLine(exchange);
  }
  const wrong = isQuiet ? undefined : describeWrongRequest(exchange);
  return wrong === undefined ? undefined : `svc-conformance: ${wrong}\n`;
}

async function checkData(path: string, { values }: Parsed, call: Call): Promise<number> {
  if (Object.keys(values).length > 1) {
    throw new UsageError(
      '--check reads a data folder and starts no server; leave out all other options',
    );
  }
  const { isWhole, lines } = await checkDataFolder(path);
  for (const line of lines) call.print(`${escapeInvisible(line)}\n`);
  return isWhole ? EXIT.asExpected : EXIT.badData;
}

const INTERNAL_ERROR = 500;

/** The operation of a request that fails on purpose. */
const FAULT = 'fault';

/** A line about a failed request, without its query, which may contain a signature, and without the stack, which the log has. */
function failureLine({ id, method, host, target, message = '' }: Exchange): string {
  const [path = ''] = target.split('?');
  const [what = ''] = message.split('\n');
  const request = escapeInvisible(`${method} ${host}${path}`);
  return `svc-conformance: request ${id} failed: ${request}: ${escapeInvisible(what)}\n`;
}

/** Further damaged files are only counted. */
const SHOWN_FAULTS = 10;

function faultLines(faults: readonly string[]): readonly string[] {
  if (faults.length === 0) return [];
  const more = faults.length - SHOWN_FAULTS;
  return [
    ...faults.slice(0, SHOWN_FAULTS).map(escapeInvisible),
    `${more > 0 ? `${more} more files are damaged; ` : ''}requests for damaged files get 500 until the files are uploaded again; everything else works`,
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
    call.warn(`svc-conformance: the log is no longer written: ${message}\n`);
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
      `the log cannot be written to ${quote(target)} (${code}); name a file in a folder that exists and that you may write to`,
    );
  }
}

/** How the private key is named; only the published one is printed. */
const SECRET = 'not printed';

type Row = readonly [name: string, text: string];

/** What a person needs first, a line each. */
function startLines(server: RunningServer, options: ServerOptions): string {
  const { url, keys } = server;
  const rows = [
    ['page', `${url}/-/`],
    ...(options.accounts ?? [keys]).flatMap(keyRows),
    ...bucketRows(options),
    ...proxyRows(server, options),
    ...(options.data === undefined ? [['reset', `curl -X POST ${url}/-/reset`]] : []),
  ];
  return rows
    .map(([name = '', text = '']) => `  ${name.padEnd(13)}${escapeInvisible(text)}\n`)
    .join('');
}

function bucketRows({ buckets = [], accounts = [], folders = [] }: ServerOptions): readonly Row[] {
  const own = accounts.flatMap((account) => account.buckets ?? []);
  const names = [...buckets, ...own].map(({ name }) => name);
  const all = new Set([...names, ...folders.map(({ bucket }) => bucket)]);
  return all.size === 0 ? [] : [['buckets', [...all].join(', ')]];
}

function proxyRows({ url, port }: RunningServer, options: ServerOptions): readonly Row[] {
  const { tls, authority } = options;
  const plain = `http_proxy=${url}, or http://BUCKET.localhost:${port} as endpoint`;
  const trust = `SSL_CERT_FILE=${authority?.path} (or NODE_EXTRA_CA_CERTS, REQUESTS_CA_BUNDLE, curl --cacert)`;
  return [
    ...(tls ? [] : [['http', plain] as const]),
    ...(authority ? [['https', `https_proxy=${url}, and ${trust}`] as const] : []),
  ];
}

function keyRows({ publicKey, privateKey }: RunningServer['keys']): readonly Row[] {
  const isPublished =
    publicKey === DEVELOPMENT_KEYS.publicKey && privateKey === DEVELOPMENT_KEYS.privateKey;
  return [
    ['public key', publicKey],
    ['private key', isPublished ? privateKey : SECRET],
  ];
}
