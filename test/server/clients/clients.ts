/**
 * The clients: SDKs as published in their registries, and curl.
 *
 * @module
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  isInstalled,
  listRepositoryAdapters,
  notFoundMessage,
  type RepositoryAdapter,
} from '../../../harness/respondents/adapter/manifest.ts';
import type { VendorText } from '../../../reference/vendor-texts.ts';

export interface Client {
  readonly name: string;
  /** Why this machine cannot run it; undefined if it can. */
  readonly missing: string | undefined;
  /** The command that builds its program, and the folder that pins its SDK. */
  readonly build?: { readonly folder: string; readonly command: readonly string[] };
  readonly command: readonly string[];
  /** Steps for which its SDK has no function. */
  readonly lacking: readonly string[];
  /** Steps that fail because of the SDK, with the expected error. */
  readonly failing: Readonly<Record<string, RegExp>>;
  /** The requests that the server must refuse, in this order: `OPERATION KEY STATUS`. */
  readonly refused: readonly string[];
  /** Operations that it signs with its own string to sign, by the name of that string. */
  readonly vendorTexts: Readonly<Record<string, VendorText>>;
  /** Additional steps. */
  readonly more: readonly string[];
}

const adapters = new Map(listRepositoryAdapters().map((adapter) => [adapter.name, adapter]));

function sdk(name: string): RepositoryAdapter {
  const found = adapters.get(name);
  if (!found) throw new Error(`adapters/sdk has no ${name}`);
  return found;
}

export const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

function missingOf(programs: readonly string[], adapter?: RepositoryAdapter): string | undefined {
  const program = programs.find((one) => !isInstalled(one, '.'));
  return program === undefined ? adapter?.missing : notFoundMessage(program);
}

/** Stands in a command for the program that the build creates. */
export const PROGRAM = '{client}';

/** Each client tries once to finish an aborted upload, and asks once for a deleted file. */
const GONE = ['FinishMultipartUpload aborted.txt 404', 'HeadFile gone.txt 404'] as const;

/** The SDK signs the key with its escape, but sends it so that the server decodes the escape. */
const UNESCAPED = { 'key with an escape in it': /403/ };

export const PYTHON: string = sdk('ufile').command[0] ?? '';

/** Suffix for test names: why the SDK for Python is not run; empty if it is. */
export const withoutPython: string = notRun(sdk('ufile').missing);

/** Suffix for the name of a test that is skipped for this reason. */
export function notRun(reason: string | undefined): string {
  return reason === undefined ? '' : ` (not run, because ${reason})`;
}

const python: Client = {
  name: 'SDK for Python',
  missing: sdk('ufile').missing,
  command: [PYTHON, source('python/client.py')],
  lacking: ['instant upload', 'append', 'rename', 'abort upload'],
  failing: UNESCAPED,
  refused: ['PutFile aA.txt 403', 'HeadFile gone.txt 404'],
  vendorTexts: { ListObjects: 'list-parameters' },
  more: [],
};

const go: Client = {
  name: 'SDK for Go',
  missing: missingOf(['go'], sdk('ufile-gosdk')),
  build: {
    folder: sdk('ufile-gosdk').folder,
    command: ['go', 'build', '-trimpath', '-buildvcs=false', '-o', PROGRAM, source('go/client.go')],
  },
  command: [PROGRAM],
  lacking: ['append', 'part copy', 'list parts'],
  // The SDK does not escape keys in URLs.
  failing: { 'key with a percent sign': /invalid URL escape "%\.t"/, ...UNESCAPED },
  refused: ['PutFile aA.txt 403', ...GONE],
  vendorTexts: {},
  more: [],
};

const java: Client = {
  name: 'SDK for Java',
  missing: missingOf(['java', 'javac'], sdk('ufile-client-java')),
  command: [
    'java',
    '-Dfile.encoding=UTF-8',
    '-XX:TieredStopAtLevel=1',
    '-cp',
    join(sdk('ufile-client-java').folder, '.build', 'lib', '*'),
    source('java/Client.java'),
  ],
  lacking: ['form post', 'part copy', 'list parts'],
  // The SDK escapes the question mark, so `grows.txt?append&position=0` is a key.
  failing: { append: /file not exist/ },
  refused: ['GetFile grows.txt 404', ...GONE],
  vendorTexts: {},
  more: [],
};

const curl: Client = {
  name: 'curl',
  missing: missingOf(['bash', 'curl', 'openssl']),
  command: ['bash', source('curl/client.sh')],
  lacking: [],
  failing: {},
  refused: [GONE[0], 'GetFile gone.txt 404'],
  vendorTexts: { Append: 'raw-append-query' },
  more: ['put after 100 Continue', 'virtual host'],
};

export const CLIENTS: readonly Client[] = [python, go, java, curl];
