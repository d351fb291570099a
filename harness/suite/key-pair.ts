/**
 * Reads the key pair from a file or the environment. The command line is no place for it: other users can see it.
 *
 * @module
 */
import type { KeyPair } from '../../reference/signing/index.ts';
import { UsageError } from '../engine/errors.ts';
import { quote } from '../engine/excerpt.ts';
import { LARGEST, readText } from './user-files.ts';

const SHAPE = 'write publicKey and privateKey, as YAML, as JSON, or as two lines NAME=VALUE';

/** A limit for YAML aliases of aliases. */
const MOST_ALIASES = 10;

/** `publicKey = …`, with an optional `export` before it, as shells accept it. */
const ASSIGNMENT = /^(?:export\s+)?([A-Za-z_]+)\s*=\s*(.*)/;

export function readEnvironmentKeys(environment: NodeJS.ProcessEnv): KeyPair {
  const { SVC_PUBLIC_KEY = '', SVC_PRIVATE_KEY = '' } = environment;
  const missing = [
    ...(SVC_PUBLIC_KEY === '' ? ['SVC_PUBLIC_KEY'] : []),
    ...(SVC_PRIVATE_KEY === '' ? ['SVC_PRIVATE_KEY'] : []),
  ];
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
  const text = readSecretText({ path, option, shape: SHAPE });
  const members = parseAssignments(text) ?? (await parseYaml(text, path, option));
  const findValue = (name: string): string => {
    const found = members.find(([member]) => plainName(member).endsWith(name.toLowerCase()))?.[1];
    if (typeof found === 'string' && found !== '' && found.isWellFormed()) return found;
    throw new UsageError(
      `the file of ${option}, ${quote(path)}, has no ${name} that is a text; ${SHAPE}`,
    );
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

async function parseYaml(text: string, path: string, option: string): Promise<Members> {
  const value = await readSecretYaml(text, { path, option, shape: SHAPE });
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

interface SecretFile {
  readonly path: string;
  /** That names the file. */
  readonly option: string;
  /** What the file should have. */
  readonly shape: string;
}

/** @throws UsageError that does not quote the path: a user may have given a key instead */
export function readSecretText({ path, option, shape }: SecretFile): string {
  try {
    return readText(path, LARGEST.keys);
  } catch (error) {
    const { code = 'an error' } = error as NodeJS.ErrnoException;
    throw new UsageError(`the file that ${option} names cannot be read: ${code}; ${shape}`);
  }
}

/** @throws UsageError that quotes nothing of the text */
export async function readSecretYaml(
  text: string,
  { path, option, shape }: SecretFile,
): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  // The schema "failsafe" keeps every scalar a text: a key may consist of digits.
  const document = parseDocument(text, { schema: 'failsafe', prettyErrors: true });
  const [fault] = document.errors;
  if (fault) {
    throw new UsageError(
      `the file of ${option}, ${quote(path)}, is neither YAML nor JSON: see line ${fault.linePos?.[0].line ?? 1}; ${shape}`,
    );
  }
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch {
    throw new UsageError(
      `the file of ${option}, ${quote(path)}, is too deep or has too many aliases; ${shape}`,
    );
  }
}
