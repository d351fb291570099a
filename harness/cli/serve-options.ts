/**
 * The options of `serve`.
 *
 * @module
 */
import { dialectNamed } from '../dialects.ts';
import { UsageError } from '../errors.ts';
import { keyPairOfFile } from '../explain/key-pair.ts';
import { LARGEST, textOfFile } from '../input.ts';
import { visible } from '../report/excerpt.ts';
import type { ServerOptions } from '../serve/start.ts';
import { numberOption, type Options, type Parsed, textOption } from './verb.ts';

/** Those that make a difference to a client; `wire` takes them as well. */
export const SERVICE_OPTIONS: Options = {
  port: { type: 'string' },
  data: { type: 'string' },
  bucket: { type: 'string', multiple: true },
  dialect: { type: 'string' },
  strict: { type: 'boolean' },
};

export const SERVE_OPTIONS: Options = {
  ...SERVICE_OPTIONS,
  host: { type: 'string' },
  key: { type: 'string' },
  suffix: { type: 'string', multiple: true },
  bind: { type: 'string', multiple: true },
  callbacks: { type: 'boolean' },
  cert: { type: 'string' },
  'key-file': { type: 'string' },
  log: { type: 'string' },
  recent: { type: 'string' },
  check: { type: 'string' },
  repair: { type: 'boolean' },
};

/** What the command line says of the server. */
export async function serverOptions(given: Parsed): Promise<ServerOptions> {
  const { host, data, key, dialect } = Object.fromEntries(
    ['host', 'data', 'key', 'dialect'].map((name) => [name, textOption(given, name)]),
  );
  return {
    ...(host !== undefined && { host }),
    ...(data !== undefined && { data }),
    ...(dialect !== undefined && { dialect: dialectNamed(dialect) }),
    ...(key !== undefined && { accounts: [await keyPairOfFile(key, '--key')] }),
    ...(given.values['port'] !== undefined && { port: portOf(given) }),
    ...(given.values['recent'] !== undefined && { recent: recentOf(given) }),
    ...tlsOf(given),
    buckets: textsOf(given, 'bucket').map(seedOf),
    suffixes: textsOf(given, 'suffix').map(suffixOf),
    boundHosts: Object.fromEntries(textsOf(given, 'bind').map(bindingOf)),
    repair: repairOf(given),
    strict: given.values['strict'] === true,
    callbacks: given.values['callbacks'] === true,
  };
}

function textsOf({ values }: Parsed, name: string): readonly string[] {
  return [values[name] ?? []].flat().filter((value) => typeof value === 'string');
}

function repairOf({ values }: Parsed): boolean {
  const repair = values['repair'] === true;
  if (repair && values['data'] === undefined) {
    throw new UsageError('--repair rebuilds the database of a data folder; name it with --data');
  }
  return repair;
}

function recentOf(given: Parsed): number {
  const count = numberOption(given, 'recent', 0);
  if (Number.isInteger(count)) return count;
  throw new UsageError(
    `--recent ${count} is not a count; write how many requests the page goes back, or 0 to switch it off`,
  );
}

function portOf(given: Parsed): number {
  const port = numberOption(given, 'port', 0);
  if (Number.isInteger(port) && port < 65_536) return port;
  throw new UsageError(`--port ${port} is not a port; write 0, for any that is free, to 65535`);
}

function seedOf(text: string): { readonly name: string; readonly type: 'public' | 'private' } {
  const [name = '', type = 'private', ...more] = text.split(':');
  if ((type === 'public' || type === 'private') && more.length === 0) return { name, type };
  throw new UsageError(
    `--bucket ${visible(text)} is neither NAME, NAME:public nor NAME:private; a bucket is one of these`,
  );
}

function suffixOf(text: string): string {
  if (/^[^\s/:]+$/.test(text)) return text;
  throw new UsageError(`--suffix ${visible(text)} is not the end of a host, such as files.test`);
}

function bindingOf(text: string): readonly [host: string, bucket: string] {
  const [, host, bucket] = /^([^=]+)=([^=]+)$/.exec(text) ?? [];
  if (host !== undefined && bucket !== undefined) return [host, bucket];
  throw new UsageError(`--bind ${visible(text)} is not HOST=BUCKET, such as files.test=demo`);
}

function tlsOf(given: Parsed): Pick<ServerOptions, 'tls'> {
  const [cert, key] = [textOption(given, 'cert'), textOption(given, 'key-file')];
  if (cert === undefined && key === undefined) return {};
  if (cert === undefined || key === undefined) {
    throw new UsageError('--cert and --key-file go together; give both, or neither for http');
  }
  return { tls: { cert: pem(cert, '--cert'), key: pem(key, '--key-file') } };
}

function pem(path: string, option: string): string {
  try {
    return textOfFile(path, LARGEST.certificate);
  } catch (error) {
    const { code = 'an error' } = error as NodeJS.ErrnoException;
    throw new UsageError(`the file of ${option} cannot be read: ${code}; name a file in PEM`);
  }
}
