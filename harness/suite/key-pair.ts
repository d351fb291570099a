/**
 * Reads key pairs from files or the environment. The command line is no place for it: other users can see it.
 *
 * @module
 */

import type { KeyPair } from '../../reference/signing/index.ts';
import { hasMembers, isList, isText } from '../../reference/values.ts';
import { UsageError } from '../engine/errors.ts';
import { quote } from '../engine/excerpt.ts';
import { LARGEST, readText, withFile } from './user-files.ts';

const KEYS_SHAPE = 'write publicKey and privateKey, as YAML, as JSON, or as two lines NAME=VALUE';

/** A limit for YAML aliases of aliases. */
const MOST_ALIASES = 10;

/** `publicKey = …`, with an optional `export` before it, as shells accept it. */
const ASSIGNMENT = /^(?:export\s+)?([A-Za-z_]+)\s*=\s*(.*)/;

export function readEnvironmentKeys(environment: NodeJS.ProcessEnv): KeyPair {
  const { SVC_PUBLIC_KEY = '', SVC_PRIVATE_KEY = '' } = environment;
  const missing = Object.entries({ SVC_PUBLIC_KEY, SVC_PRIVATE_KEY }).flatMap(([name, key]) =>
    key === '' ? [name] : [],
  );
  if (missing.length > 0) {
    const [are, them] = missing.length > 1 ? ['are', 'them'] : ['is', 'it'];
    throw new UsageError(
      `there is no key pair: ${missing.join(' and ')} ${are} not set in the environment; set ${them}, or pass --keys FILE`,
    );
  }
  return { publicKey: SVC_PUBLIC_KEY, privateKey: SVC_PRIVATE_KEY };
}

/** @throws UsageError that says where the file is wrong and quotes nothing of it */
export async function readKeyFile(path: string, option = '--keys'): Promise<KeyPair> {
  const file: SecretFile = { path, option, shape: KEYS_SHAPE };
  const text = readSecretText(file);
  const members = parseAssignments(text) ?? toMembers(await readSecretYaml(text, file));
  const findValue = (name: string): string => {
    const found = members.find(([member]) => plainName(member).endsWith(name.toLowerCase()))?.[1];
    if (isKey(found)) return found;
    throw fileError(file, `has no ${name} that is a text`);
  };
  return { publicKey: findValue('publicKey'), privateKey: findValue('privateKey') };
}

/** Files also spell `publicKey` as `public_key`, `PublicKey` or `SVC_PUBLIC_KEY`. */
function plainName(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

type Members = readonly (readonly [name: string, value: unknown])[];

function parseAssignments(text: string): Members | undefined {
  const lines = text.split('\n').filter((line) => !/^\s*(?:#.*)?$/.test(line));
  const matches = lines.map((line) => ASSIGNMENT.exec(line.trim()));
  if (lines.length === 0 || matches.includes(null)) return undefined;
  return matches.map((match) => [
    match?.[1] ?? '',
    (match?.[2] ?? '').replace(/^(["'])(.*)\1$/, '$2'),
  ]);
}

const toMembers = (value: unknown): Members => (hasMembers(value) ? Object.entries(value) : []);

interface SecretFile {
  readonly path: string;
  /** That names the file. */
  readonly option: string;
  /** What the file should have. */
  readonly shape: string;
}

/** @throws UsageError that does not quote the path: a user may have given a key instead */
function readSecretText({ path, option, shape }: SecretFile): string {
  const read = (): string => readText(path, LARGEST.keys);
  return withFile(read, `the file that ${option} names cannot be read`, shape);
}

/** @throws UsageError that quotes nothing of the text */
async function readSecretYaml(text: string, file: SecretFile): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  // The schema "failsafe" keeps every scalar a text: a key may consist of digits.
  const document = parseDocument(text, { schema: 'failsafe', prettyErrors: true });
  const [fault] = document.errors;
  if (fault) {
    throw fileError(file, `is neither YAML nor JSON: see line ${fault.linePos?.[0].line ?? 1}`);
  }
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch {
    throw fileError(file, 'is too deep or has too many aliases');
  }
}

function fileError({ path, option, shape }: SecretFile, fault: string, part = ''): UsageError {
  const name = part === '' ? 'the file of' : `${part} in the file of`;
  return new UsageError(`${name} ${option}, ${quote(path)}, ${fault}; ${shape}`);
}

interface FileAccount extends KeyPair {
  /** As `--bucket` takes them: a name, or a name with `:public`. */
  readonly buckets: readonly string[];
}

const LIST_SHAPE =
  'write a list, as YAML or JSON, with publicKey, privateKey and, if you want, a list buckets of NAME or NAME:public for each account';

/** @throws UsageError that says which entry is wrong and quotes no key */
export async function readAccountFile(
  path: string,
  option: string,
): Promise<readonly FileAccount[]> {
  const file: SecretFile = { path, option, shape: LIST_SHAPE };
  const value = await readSecretYaml(readSecretText(file), file);
  if (!isList(value) || value.length === 0) throw fileError(file, 'has no list of accounts');
  return value.map((entry, at) => {
    const account = toAccount(entry);
    if (typeof account !== 'string') return account;
    throw fileError(file, account, `account ${at + 1}`);
  });
}

const MEMBERS = ['publicKey', 'privateKey', 'buckets'];

/** The account, or what is wrong with it. */
function toAccount(entry: unknown): FileAccount | string {
  if (!hasMembers(entry)) return 'is not an object';
  const { publicKey, privateKey, buckets = [] } = entry;
  if (!isKey(publicKey)) return 'has no publicKey that is a text';
  if (!isKey(privateKey)) return 'has no privateKey that is a text';
  // Its name is not quoted: it may be a key.
  if (Object.keys(entry).some((name) => !MEMBERS.includes(name))) {
    return `has a member besides ${MEMBERS.join(', ')}`;
  }
  if (!isList(buckets) || !buckets.every(isText)) {
    return 'has buckets that are not a list of names';
  }
  return { publicKey, privateKey, buckets };
}

function isKey(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed();
}
