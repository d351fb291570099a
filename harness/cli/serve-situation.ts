/**
 * The options of `serve` that bring the service into a situation: accounts, files, time, faults, certificates.
 *
 * @module
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../engine/errors.ts';
import { quote } from '../engine/excerpt.ts';
import {
  type CertificateAuthority,
  openAuthority,
  type ServerOptions,
  StartError,
} from '../respondents/serve/start.ts';
import { readAccountFile } from '../suite/key-pair.ts';
import { AUTHORITY_FOLDER, parseBucket, SEEDED_BUCKET } from './serve-options.ts';
import { type Parsed, textOption, textsOption } from './verb.ts';

export async function situationOptions(
  given: Parsed,
): Promise<Pick<ServerOptions, 'accounts' | 'clock' | 'faults' | 'folders'>> {
  const [accounts, clock] = [textOption(given, 'accounts'), textOption(given, 'clock')];
  if (accounts !== undefined && textOption(given, 'key') !== undefined) {
    throw new UsageError(
      '--key and --accounts both name the key pairs of the server; give one of them',
    );
  }
  return {
    ...(accounts !== undefined && { accounts: await readAccounts(accounts) }),
    ...(clock !== undefined && { clock: parseClock(clock) }),
    faults: textsOption(given, 'fault').map(parseFault),
    folders: parseSeeds(given),
  };
}

/** How a message names a bucket of the file. */
const IN_ACCOUNTS = 'the bucket of --accounts';

async function readAccounts(path: string): Promise<NonNullable<ServerOptions['accounts']>> {
  const accounts = await readAccountFile(path, '--accounts');
  const names = accounts.flatMap(({ buckets }) =>
    buckets.map((text) => parseBucket(text, IN_ACCOUNTS).name),
  );
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) {
    throw new UsageError(
      `the file of --accounts lists the bucket ${quote(twice)} twice; a bucket belongs to one account`,
    );
  }
  return accounts.map((account) => ({
    ...account,
    buckets: account.buckets.map((text) => parseBucket(text, IN_ACCOUNTS)),
  }));
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
const NAMED_SEED = /^([a-z0-9-]+)=(.+)$/;

function parseSeeds(given: Parsed): NonNullable<ServerOptions['folders']> {
  const [first] = textsOption(given, 'bucket');
  const usual = first === undefined ? SEEDED_BUCKET : parseBucket(first).name;
  return textsOption(given, 'seed').map((text) => {
    const [, bucket = usual, folder = text] = NAMED_SEED.exec(text) ?? [];
    return { bucket, folder };
  });
}

/** Opens the authority that `--authority` names, or the one in the home folder. Warns if the home folder cannot have one. */
export function findAuthority(
  given: Parsed,
  env: NodeJS.ProcessEnv,
  warn: (text: string) => void,
): CertificateAuthority | undefined {
  const folder = textOption(given, 'authority');
  if (folder === 'off') return undefined;
  if (folder !== undefined) return openAuthority(folder);
  // An https server needs no second certificate.
  if (textOption(given, 'cert') !== undefined) return undefined;
  const home = env['HOME'] || env['USERPROFILE'] || findHome();
  try {
    if (home !== undefined) return openAuthority(join(home, AUTHORITY_FOLDER));
    warn(
      'svc-conformance: https is off: this user has no home folder; name one with --authority\n',
    );
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    warn(`svc-conformance: https is off: ${error.message}\n`);
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
