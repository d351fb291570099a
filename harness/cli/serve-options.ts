/**
 * The options of `serve`.
 *
 * @module
 */

import { parseDialect } from '../engine/dialects.ts';
import { UsageError } from '../engine/errors.ts';
import { quote } from '../engine/excerpt.ts';
import type { ServerOptions } from '../respondents/serve/start.ts';
import { readKeyFile } from '../suite/key-pair.ts';
import { LARGEST, readText, withFile } from '../suite/user-files.ts';
import { DIALECT } from './adapter-options.ts';
import {
  flagOption,
  numberOption,
  type Options,
  type Parsed,
  textOption,
  textsOption,
} from './verb.ts';

/** The bucket that files are loaded into. */
export const SEEDED_BUCKET = 'demo';

/** The folder of the certificate authority, below the home of the user. */
export const AUTHORITY_FOLDER = '.svc-conformance/authority';

/** The dialect of published clients; in it, the service answers for their stock hosts. */
export const CLIENT_DIALECT = 'ucloud';

/** Options that change what a client sees; `wire` has them too. */
export const SERVICE_OPTIONS: Options = {
  data: { value: 'FOLDER', help: 'store everything in this folder (default: in memory)' },
  bucket: {
    value: 'NAME[:public|private]',
    repeatable: true,
    help: 'a bucket that exists from the start; private by default',
  },
  dialect: DIALECT,
  strict: {
    type: 'flag',
    help: 'accept only the strings to sign of the specification, not those that only SDKs use, and refuse callback policies',
  },
};

export async function serverOptions(given: Parsed): Promise<ServerOptions> {
  const names = ['host', 'data', 'key', 'dialect'];
  const [host, data, key, dialect] = names.map((name) => textOption(given, name));
  return {
    ...(host !== undefined && { host }),
    ...(data !== undefined && { data }),
    ...(dialect !== undefined && { dialect: parseDialect(dialect) }),
    ...(key !== undefined && { accounts: [await readKeyFile(key, '--key')] }),
    ...(given.values['port'] !== undefined && { port: portOf(given) }),
    ...(given.values['recent'] !== undefined && { recent: recentOf(given) }),
    ...tlsOf(given),
    buckets: textsOption(given, 'bucket').map((text) => parseBucket(text)),
    suffixes: textsOption(given, 'suffix').map(suffixOf),
    boundHosts: Object.fromEntries(textsOption(given, 'bind').map(bindingOf)),
    repair: repairOf(given),
    strict: flagOption(given, 'strict'),
    callbacks: flagOption(given, 'callbacks'),
  };
}

function repairOf(given: Parsed): boolean {
  const repair = flagOption(given, 'repair');
  if (repair && given.values['data'] === undefined) {
    throw new UsageError('--repair rebuilds the database of a data folder; name it with --data');
  }
  return repair;
}

function recentOf(given: Parsed): number {
  const count = numberOption(given, 'recent');
  if (Number.isInteger(count)) return count;
  throw new UsageError(
    `--recent ${count} is not a count; write how many requests the page shows, or 0 to switch it off`,
  );
}

function portOf(given: Parsed): number {
  const port = numberOption(given, 'port');
  if (Number.isInteger(port) && port < 65_536) return port;
  throw new UsageError(
    `--port ${port} is not a port; write a number up to 65535, or 0 for a free port`,
  );
}

/** @param option where the text is from */
export function parseBucket(
  text: string,
  option = '--bucket',
): { readonly name: string; readonly type: 'public' | 'private' } {
  const [name = '', type = 'private', ...more] = text.split(':');
  if ((type === 'public' || type === 'private') && more.length === 0) return { name, type };
  throw new UsageError(
    `${option} ${quote(text)} is not a bucket; write NAME, NAME:public or NAME:private`,
  );
}

function suffixOf(text: string): string {
  if (/^[^\s/:]+$/.test(text)) return text;
  throw new UsageError(`--suffix ${quote(text)} is not the end of a host, such as files.test`);
}

function bindingOf(text: string): readonly [host: string, bucket: string] {
  const [, host, bucket] = /^([^=]+)=([^=]+)$/.exec(text) ?? [];
  if (host !== undefined && bucket !== undefined) return [host, bucket];
  throw new UsageError(`--bind ${quote(text)} is not HOST=BUCKET, such as files.test=demo`);
}

function tlsOf(given: Parsed): Pick<ServerOptions, 'tls'> {
  const [cert, key] = [textOption(given, 'cert'), textOption(given, 'key-file')];
  if (cert === undefined && key === undefined) return {};
  if (cert === undefined || key === undefined) {
    throw new UsageError(
      '--cert and --key-file go together; pass both for https, or neither for http',
    );
  }
  return { tls: { cert: readPem(cert, '--cert'), key: readPem(key, '--key-file') } };
}

function readPem(path: string, option: string): string {
  const read = (): string => readText(path, LARGEST.certificate);
  return withFile(read, `the file of ${option} cannot be read`, 'name a file in PEM');
}
