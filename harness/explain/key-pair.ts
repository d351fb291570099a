/**
 * The key pair, from a file or from the environment; never from the command line, which other users can see.
 *
 * @module
 */

import type { Document } from 'yaml';
import type { KeyPair } from '../../reference/signing/index.ts';
import { UsageError } from '../errors.ts';
import { LARGEST, textOfFile } from '../input.ts';
import { visible } from '../report/excerpt.ts';

const SHAPE = 'write publicKey and privateKey, as YAML, as JSON, or as two lines NAME=VALUE';

/** In YAML, of values that are aliases of aliases. */
const MOST_ALIASES = 10;

/** `publicKey = …`, with an optional `export` before it, as shells take it. */
const ASSIGNMENT = /^(?:export\s+)?([A-Za-z_]+)\s*=\s*(.*)/;

/** The pair that the environment holds. */
export function keyPairOfEnvironment(environment: NodeJS.ProcessEnv): KeyPair {
  const { SVC_PUBLIC_KEY = '', SVC_PRIVATE_KEY = '' } = environment;
  const missing = [
    ...(SVC_PUBLIC_KEY === '' ? ['SVC_PUBLIC_KEY'] : []),
    ...(SVC_PRIVATE_KEY === '' ? ['SVC_PRIVATE_KEY'] : []),
  ];
  if (missing.length > 0) {
    throw new UsageError(
      `there is no key pair: ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set in the environment; set ${missing.length > 1 ? 'them' : 'it'}, or give --keys FILE`,
    );
  }
  return { publicKey: SVC_PUBLIC_KEY, privateKey: SVC_PRIVATE_KEY };
}

/**
 * The pair that a file holds.
 *
 * @throws UsageError that says where the file is wrong and quotes nothing of it
 */
export async function keyPairOfFile(path: string, option = '--keys'): Promise<KeyPair> {
  let text: string;
  try {
    text = textOfFile(path, LARGEST.keys);
  } catch (error) {
    const { code = 'an error' } = error as NodeJS.ErrnoException;
    // The path is not quoted: somebody may have given a key in its place.
    throw new UsageError(
      `the file that ${option} names cannot be read: ${code}; name a file that holds the key pair; ${SHAPE}`,
    );
  }
  const members = assignments(text) ?? (await yamlMembers(text, path, option));
  const value = (name: string): string => {
    const found = members.find(([member]) => plainName(member).endsWith(name.toLowerCase()))?.[1];
    if (typeof found === 'string' && found !== '' && found.isWellFormed()) return found;
    throw new UsageError(
      `the file of ${option}, ${visible(path)}, has no ${name} that is a text; ${SHAPE}`,
    );
  };
  return { publicKey: value('publicKey'), privateKey: value('privateKey') };
}

/** `public_key`, `PublicKey` and `SVC_PUBLIC_KEY` are other people's spellings of `publicKey`. */
function plainName(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

type Members = readonly (readonly [name: string, value: unknown])[];

function assignments(text: string): Members | undefined {
  const lines = text.split('\n').filter((line) => !/^\s*(?:#.*)?$/.test(line));
  const matches = lines.map((line) => ASSIGNMENT.exec(line.trim()));
  if (lines.length === 0 || matches.includes(null)) return undefined;
  return matches.map((match) => [
    match?.[1] ?? '',
    (match?.[2] ?? '').replace(/^(["'])(.*)\1$/, '$2'),
  ]);
}

async function yamlMembers(text: string, path: string, option: string): Promise<Members> {
  const { parseDocument } = await import('yaml');
  // Every scalar stays a text: a key may consist of digits.
  const document = parseDocument(text, { schema: 'failsafe', prettyErrors: true });
  const [fault] = document.errors;
  if (fault) {
    throw new UsageError(
      `the file of ${option}, ${visible(path)}, is neither YAML nor JSON: line ${fault.linePos?.[0].line ?? 1} is not; ${SHAPE}`,
    );
  }
  const value = yamlValue(document, path, option);
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** Throws where aliases stand for more than a file of keys can hold. */
function yamlValue(document: Document, path: string, option: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch {
    throw new UsageError(
      `the file of ${option}, ${visible(path)}, is too deep or has too many aliases; ${SHAPE}`,
    );
  }
}
