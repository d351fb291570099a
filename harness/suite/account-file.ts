/**
 * Reads the accounts of a server from a file: key pairs, and the buckets of each.
 *
 * @module
 */
import type { KeyPair } from '../../reference/signing/index.ts';
import { UsageError } from '../engine/errors.ts';
import { quote } from '../engine/excerpt.ts';
import { readSecretText, readSecretYaml } from './key-pair.ts';

export interface FileAccount extends KeyPair {
  /** As `--bucket` takes them: a name, or a name with `:public`. */
  readonly buckets: readonly string[];
}

const SHAPE =
  'write a list, as YAML or JSON, with publicKey, privateKey and, if you want, a list buckets of NAME or NAME:public for each account';

/** @throws UsageError that says which entry is wrong and quotes no key */
export async function readAccountFile(
  path: string,
  option: string,
): Promise<readonly FileAccount[]> {
  const file = { path, option, shape: SHAPE };
  const value = await readSecretYaml(readSecretText(file), file);
  if (!Array.isArray(value) || value.length === 0) {
    throw new UsageError(
      `the file of ${option}, ${quote(path)}, has no list of accounts; ${SHAPE}`,
    );
  }
  return value.map((entry, at) => {
    const account = toAccount(entry);
    if (typeof account !== 'string') return account;
    throw new UsageError(
      `account ${at + 1} in the file of ${option}, ${quote(path)}, ${account}; ${SHAPE}`,
    );
  });
}

const MEMBERS = ['publicKey', 'privateKey', 'buckets'];

/** The account, or what is wrong with it. */
function toAccount(entry: unknown): FileAccount | string {
  if (typeof entry !== 'object' || entry === null) return 'is not an object';
  const members: Readonly<Record<string, unknown>> = { buckets: [], ...entry };
  const { publicKey, privateKey, buckets } = members;
  if (!isKey(publicKey)) return 'has no publicKey that is a text';
  if (!isKey(privateKey)) return 'has no privateKey that is a text';
  // Its name is not quoted: it may be a key.
  if (Object.keys(members).some((name) => !MEMBERS.includes(name))) {
    return `has a member besides ${MEMBERS.join(', ')}`;
  }
  if (!Array.isArray(buckets) || !buckets.every((name) => typeof name === 'string')) {
    return 'has buckets that are not a list of names';
  }
  return { publicKey, privateKey, buckets };
}

function isKey(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed();
}
