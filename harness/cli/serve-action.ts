/**
 * Runs the service until an interrupt, in the situation that the options describe: accounts, files, time, faults, certificates. Loaded when `serve` runs, not for its help.
 *
 * @module
 */

import { createWriteStream, openSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { EXIT, UsageError } from '../engine/errors.ts';
import { escapeInvisible, quote } from '../engine/excerpt.ts';
import { describeWrongRequest, formatLogLine } from '../respondents/serve/exchange-lines.ts';
import { checkDataFolder } from '../respondents/serve/folder-check.ts';
import {
  type CertificateAuthority,
  DEVELOPMENT_KEYS,
  type Exchange,
  openAuthority,
  type RunningServer,
  type ServerOptions,
  StartError,
  startServer,
} from '../respondents/serve/start.ts';
import { readAccountFile } from '../suite/key-pair.ts';
import { withFile } from '../suite/user-files.ts';
import type { Call } from './call.ts';
import { AUTHORITY_FOLDER, parseBucket, SEEDED_BUCKET, serverOptions } from './serve-options.ts';
import { flagOption, type Parsed, textOption, textsOption } from './verb.ts';

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
  const isQuiet = flagOption(given, 'quiet');
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
  if (!isQuiet) {
    const lines = startLines(server, options);
    // Programs read standard output if the log goes there.
    if (textOption(given, 'log') === '-') call.warn(lines);
    else call.print(lines);
  }
  await interrupted;
  await server.close();
  if (log) await new Promise<void>((resolve) => log.end(resolve));
  return EXIT.asExpected;
}

async function allOptions(given: Parsed, call: Call): Promise<ServerOptions> {
  const [accounts, clock] = [textOption(given, 'accounts'), textOption(given, 'clock')];
  if (accounts !== undefined && textOption(given, 'key') !== undefined) {
    throw new UsageError(
      '--key and --accounts both name the key pairs of the server; give one of them',
    );
  }
  const situation = {
    ...(accounts !== undefined && { accounts: await readAccounts(accounts) }),
    ...(clock !== undefined && { clock: parseClock(clock) }),
    faults: textsOption(given, 'fault').map(parseFault),
    folders: parseSeeds(given),
  };
  const options = { ...(await serverOptions(given)), ...situation };
  const authority = findAuthority(given, call);
  return { ...options, ...(authority && { authority }) };
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

function openLog(given: Parsed, call: Call): Log | undefined {
  const target = textOption(given, 'log');
  if (target === undefined) return undefined;
  if (target === '-') return { write: (line) => call.print(line), end: (done) => done() };
  // Opened before the server starts, so that a wrong path is a usage error.
  const fd = withFile(
    () => openSync(target, 'a'),
    `the log cannot be written to ${quote(target)}`,
    'name a file in a folder that exists and that you may write to',
  );
  const file = createWriteStream(target, { fd });
  file.once('error', ({ message }) => {
    call.warn(`svc-conformance: the log is no longer written: ${message}\n`);
  });
  return file;
}

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
  const trust = `SSL_CERT_FILE=${authority?.path} (or NODE_EXTRA_CA_CERTS with NODE_USE_ENV_PROXY=1, REQUESTS_CA_BUNDLE, curl --cacert)`;
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
    ['private key', isPublished ? privateKey : 'not printed'],
  ];
}

async function readAccounts(path: string): Promise<NonNullable<ServerOptions['accounts']>> {
  const accounts = (await readAccountFile(path, '--accounts')).map((account) => ({
    ...account,
    buckets: account.buckets.map((text) => parseBucket(text, 'the bucket of --accounts')),
  }));
  const names = accounts.flatMap(({ buckets }) => buckets.map(({ name }) => name));
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) {
    throw new UsageError(
      `the file of --accounts lists the bucket ${quote(twice)} twice; a bucket belongs to one account`,
    );
  }
  return accounts;
}

type Clock = NonNullable<ServerOptions['clock']>;

const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** A moment at which the clock stands, or how far it runs ahead of the clock of this machine or behind it. */
function parseClock(text: string): Clock {
  const now = (): number => Math.floor(Date.now() / 1000);
  if (/^[+-]\d{1,10}$/.test(text)) return () => now() + Number(text);
  const moment = /^\d{1,10}$/.test(text)
    ? Number(text)
    : MOMENT.test(text)
      ? Date.parse(text) / 1000
      : Number.NaN;
  if (Number.isFinite(moment)) return () => Math.floor(moment);
  throw new UsageError(
    `--clock ${quote(text)} is not a time; write Unix seconds, a date such as 2030-01-31 or 2030-01-31T12:00:00Z, or +SECONDS for a clock that runs ahead (--clock=-SECONDS behind)`,
  );
}

type Fault = NonNullable<ServerOptions['faults']>[number];

const METHOD = /^(?:[A-Z]+|\*)$/;
const STATUS = /^[45]\d\d$/;
const DELAY = /^(\d{1,6})ms$/;
const SHARE = /^(?:0?\.\d{1,6}|1(?:\.0{1,6})?)$/;

function parseFault(text: string): Fault {
  const refuse = (why: string): UsageError =>
    new UsageError(
      `--fault ${quote(text)}: ${why}; write 'METHOD PATTERN EFFECT [SHARE]', such as 'PUT * 503 0.1' or 'GET /logs/* 200ms'`,
    );
  const [method = '', pattern, effect = '', share, ...more] = text.trim().split(/\s+/);
  if (pattern === undefined || effect === '' || more.length > 0) {
    throw refuse('a fault has three or four words');
  }
  if (!METHOD.test(method)) throw refuse(`${quote(method)} is neither a method such as PUT nor *`);
  const [, delay] = DELAY.exec(effect) ?? [];
  if (delay === undefined && !STATUS.test(effect)) {
    throw refuse(`${quote(effect)} is neither a status from 400 to 599 nor a delay such as 200ms`);
  }
  if (share !== undefined && (!SHARE.test(share) || Number(share) === 0)) {
    throw refuse(`${quote(share)} is not a share above 0 and up to 1`);
  }
  return {
    method,
    pattern,
    effect: delay === undefined ? { status: Number(effect) } : { delay: Number(delay) },
    ...(share !== undefined && { share: Number(share) }),
  };
}

/** The name of a bucket before the folder; a path with a slash or a dot before its first = has none. */
const NAMED_SEED = /^([^=./\\]+)=(.+)$/;

function parseSeeds(given: Parsed): NonNullable<ServerOptions['folders']> {
  const [first] = textsOption(given, 'bucket');
  const usual = first === undefined ? SEEDED_BUCKET : parseBucket(first).name;
  return textsOption(given, 'seed').map((text) => {
    const [, bucket = usual, folder = text] = NAMED_SEED.exec(text) ?? [];
    return { bucket, folder };
  });
}

/** Opens the authority that `--authority` names, or the one in the home folder. Warns if the home folder cannot have one. */
function findAuthority(given: Parsed, call: Call): CertificateAuthority | undefined {
  const folder = textOption(given, 'authority');
  if (folder === 'off') return undefined;
  if (folder !== undefined) return openAuthority(folder);
  // An https server needs no second certificate.
  if (textOption(given, 'cert') !== undefined) return undefined;
  const home = call.io.env['HOME'] || call.io.env['USERPROFILE'] || findHome();
  try {
    if (home !== undefined) return openAuthority(join(home, AUTHORITY_FOLDER));
    call.warn(
      'svc-conformance: https is off: this user has no home folder; name one with --authority\n',
    );
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    call.warn(`svc-conformance: https is off: ${error.message}\n`);
  }
  return undefined;
}

/** Undefined if the system knows no home folder of the user, as in a container without a list of users. */
function findHome(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}
