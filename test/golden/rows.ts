/**
 * The commands whose results the golden files record, for each verb.
 *
 * @module
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PLANTED_IN_PYTHON, plant, UNKNOWN_IN_PYTHON } from '../harness/planted.ts';
import { program } from '../harness/trial.ts';
import { withoutPython } from '../python.ts';
import { mistakenServer, serviceWith } from '../server/probed-server.ts';

export interface Row {
  /** Its name in the golden file. */
  readonly name: string;
  /** The arguments after the verb. */
  readonly parameters: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Why this machine cannot run it; empty if it can. */
  readonly missing?: string;
}

export interface ProbeRow extends Row {
  /** Starts the server to probe and returns its URL. */
  readonly start: () => Promise<string>;
}

/** A row for an adapter with known or generated mistakes. */
function askPlanted(mistakes: readonly string[], ...options: readonly string[]): Row {
  const name = [...(mistakes.length > 0 ? mistakes : ['no mistakes']), ...options].join(' ');
  return { name, parameters: [...options, '--', ...plant(mistakes).command] };
}

/** A row for a program in test/harness/programs with its arguments. */
function askProgram(words: readonly string[], ...options: readonly string[]): Row {
  const [name = '', ...parameters] = words;
  return {
    name: [...words, ...options].join(' '),
    parameters: [...options, '--', ...program(name, ...parameters)],
  };
}

const PYTHON = { missing: withoutPython };

const EXPECTATIONS = 'test/golden/expectations.yaml';

const SELECTED = ['authorization', 'etag', 'url-encode'];

export const RUNS: readonly Row[] = [
  // Correct implementations.
  { name: 'reference', parameters: ['--adapter', 'reference', '--forged'] },
  { name: 'python', parameters: ['--adapter', 'python', '--forged'], ...PYTHON },
  askPlanted([], '--dialect', 'ucloud', '--level', 'must'),
  // Signers with mistakes.
  askPlanted(['folds-kept']),
  askPlanted(['json-numbers-as-doubles'], 'action-json'),
  askPlanted(['sorted-headers/marks-ignored'], 'authorization'),
  askPlanted(['signature-of-text', 'resource-without-bucket'], 'authorization'),
  askPlanted(['signed-pairs/items-json-text-javascript'], 'action-signature'),
  askPlanted(['resource-encoded', 'presigned-as-get'], 'presigned-url/path'),
  askPlanted(['escape-uri-component', 'resource-key/segments-component'], 'presigned-url/path'),
  askPlanted(['etag-kind-in-place-of-count', 'part-hash/as-file'], 'etag', 'part-etag'),
  askPlanted(
    ['headers-as-in-the-worked-example', 'folds-kept', 'signature-url-safe'],
    'authorization/canonical-headers',
    'authorization/folding',
  ),
  // Verifiers with mistakes.
  askPlanted(['verify-path-plus-as-space'], 'verify-presigned-url'),
  askPlanted(['is-expired/300-late'], 'verify-presigned-url'),
  askPlanted(['received-body/cut-at-space'], 'verify-json'),
  askPlanted(['verified-headers/without-first'], 'verify-authorization', 'verify-presigned-url'),
  askPlanted(['received-members/names-any-case', 'verify-trimmed-signature'], 'verify-json'),
  askPlanted(['verify-json-comments-and-commas', 'verb-unchecked'], '--level', 'advised'),
  askProgram(['shares-a-mistake', 'verify-authorization', 'folds-kept'], 'verify-*', '--forged'),
  // Known mistakes in Python, then an unknown one.
  ...[...PLANTED_IN_PYTHON.slice(2), ...UNKNOWN_IN_PYTHON.slice(2)].map(
    ({ name, command }): Row => ({
      name: `python ${name}`,
      parameters: ['url-encode', 'authorization/canonical-headers', '--', ...command],
      ...PYTHON,
    }),
  ),
  // Programs with useless answers, and programs that crash.
  askProgram(['answers-a-constant', '64'], 'url-encode'),
  askProgram(['accepts-everything', '64'], 'verify-query/malformed-queries'),
  askProgram(['crashes-over-a-plus'], 'url-encode'),
  askProgram(['replays', '64', 'unsupported']),
  askProgram(['crashes-before-hello']),
  // Known failures: some as expected, some with another cause, and a stale entry.
  askPlanted(['folds-kept', 'etag-hexadecimal'], '--expectations', EXPECTATIONS, ...SELECTED),
];

export const ACCEPTS: readonly Row[] = [
  askPlanted(['folds-kept', 'headers-merged-by-comma-space'], 'authorization'),
  askPlanted(
    ['folds-kept', 'etag-hexadecimal'],
    '--cause',
    'etag-hexadecimal',
    'authorization',
    'etag',
  ),
  askProgram(['makes-unknown-mistakes', 'letter-q-doubled'], 'url-encode'),
  askProgram(['crashes-before-hello']),
];

export const FUZZES: readonly Row[] = [
  askPlanted([], '--runs', '200'),
  askPlanted(['folds-kept', 'signature-url-safe'], '--operation', 'authorization', '--runs', '100'),
  askPlanted(['etag-kind-in-place-of-count', 'part-hash/as-file', 'json-nested'], '--runs', '200'),
  askPlanted(['verify-trimmed-signature'], '--operation', 'verify-query', '--runs', '100'),
  askPlanted(['header-values-checked-for-crlf-only'], '--level', 'advised', '--runs', '200'),
  ...UNKNOWN_IN_PYTHON.slice(2).map(
    ({ name, command }): Row => ({
      name: `python ${name}`,
      parameters: ['--operation', 'url-encode', '--runs', '60', '--', ...command],
      ...PYTHON,
    }),
  ),
].map((row) => ({ ...row, parameters: ['--seed', '1', ...row.parameters] }));

function runClient(name: string, words: readonly string[] = [], ...options: string[]): Row {
  const path = fileURLToPath(new URL(`../server/programs/${name}.mjs`, import.meta.url));
  return {
    name: [name, ...words].join(' '),
    parameters: [...options, '--', process.execPath, path, ...words],
  };
}

export const WIRES: readonly Row[] = [
  runClient('wire-client'),
  runClient('wire-client', ['headers-merged-by-comma-space']),
  runClient('wire-one-place'),
  runClient('wire-forms'),
  runClient('wire-ucloud', [], '--dialect', 'svc'),
];

/** Unsets the key pair of the environment, so that the published one is used. */
const NO_KEYS = { SVC_PUBLIC_KEY: '', SVC_PRIVATE_KEY: '' };

/** Fixed, because the bucket and the time decide which signatures show a mistake. */
const FIXED = { bucket: 'golden', now: 1_790_000_000 };

function probeServer(
  name: string,
  start: (fixed: typeof FIXED) => Promise<string>,
  ...ids: readonly string[]
): ProbeRow {
  return {
    name: [name, ...ids].join(' '),
    start: () => start(FIXED),
    parameters: ['--bucket', FIXED.bucket, '--timeout', '300', ...ids],
    environment: NO_KEYS,
  };
}

function probeMistake(mistake: string, ...ids: readonly string[]): ProbeRow {
  return probeServer(mistake, (fixed) => mistakenServer(mistake, fixed), ...ids);
}

export const PROBES: readonly ProbeRow[] = [
  probeServer('correct', (fixed) => serviceWith({}, fixed), 'verify-authorization', 'verify-json'),
  probeMistake('headers-as-in-the-worked-example', 'verify-authorization/right-requests'),
  probeMistake('parameters-sorted-ignoring-case', 'verify-query', 'verify-json'),
  probeMistake('verify-expiry-ignored', 'verify-presigned-url'),
];

const CAPTURED = fileURLToPath(new URL('../harness/captured/', import.meta.url));

/** Before any captured URL expires. */
const NOW = '1790000000';

/** The key pairs of the captured requests; see the README in their folder. */
const EXAMPLE = { SVC_PUBLIC_KEY: 'pub-example', SVC_PRIVATE_KEY: 'priv-example' };
const VENDOR = {
  SVC_PUBLIC_KEY: 'ucloudsomeone@example.com1296235120854146120',
  SVC_PRIVATE_KEY: '46f09bb9fab4f12dfc160dae12273d5332b5debe',
};

const EXPLAINED = [
  // Correct.
  'curl-json',
  'curl-put-policy',
  'ufile-postfile',
  // With mistakes.
  'curl-create-instance-ignoring-case',
  'curl-delete-url-safe',
  'curl-json-encoded',
  'curl-put-two-mistakes',
  // Signed as another request.
  'curl-form-no-type-signed',
  'ufile-gosdk-put-escape',
  'ufile-listobjects',
  // Incomplete.
  'curl-json-without-body',
];

export const EXPLAINS: readonly Row[] = EXPLAINED.map((name) => ({
  name,
  parameters: ['--now', NOW, join(CAPTURED, `${name}.txt`)],
  environment: name.startsWith('u') ? VENDOR : EXAMPLE,
}));
