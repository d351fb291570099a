/**
 * Converts a vector to an HTTP request, and to commands that a reader can run.
 *
 * @module
 */

import { stringify } from 'yaml';
import type { Input, Stages, Vector } from '../../harness/engine/vector.ts';
import { reproduction } from '../../harness/render/reproduction.ts';
import { serviceHosts } from '../../reference/server/messages/hosts.ts';
import { DEFAULT_PORT } from '../../reference/server/options.ts';
import { filePath } from '../../reference/signing/file-requests.ts';
import { type Pair, SPECIFICATION, SVC } from '../../reference/signing/index.ts';
import { isText } from '../../reference/values.ts';

interface HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly Pair[];
  readonly body?: string;
}

const HOSTS = serviceHosts(SVC, [], {}, () => DEFAULT_PORT);
const FILE_HOST = HOSTS.suffixes.findLast((host) => !host.startsWith('*')) ?? '';
const ACTION_HOST = HOSTS.actions.at(-1) ?? '';

type Convert = (input: Input, answer: Stages) => HttpRequest | undefined;

/** For operations with a request: converts input and answer to the request. */
const REQUESTS: Readonly<Record<string, Convert>> = {
  'action-json': (_, { body }) => jsonRequest(body),
  'action-query': (_, { query }) => actionRequest(query === undefined ? undefined : `/?${query}`),
  'bucket-request': (_, { target }) => actionRequest(target),
  authorization: (input, answer) => fileRequest(input, answer),
  'policy-authorization': (input, answer) => fileRequest(input, answer),
  'form-authorization': formRequest,
  'instant-upload': (input, { authorization, target }) =>
    fileRequest(
      { ...input, method: 'POST' },
      { authorization },
      isText(target) ? target : undefined,
    ),
  'presigned-url': ({ method, headers }, { url }) => urlRequest(method, url, headers),
  'verify-authorization': (input) => fileRequest(input, {}),
  'verify-presigned-url': ({ method, headers, url }) => urlRequest(method, url, headers),
  'verify-query': ({ query }) => actionRequest(`/?${query}`),
  'verify-json': ({ body }) => jsonRequest(body),
};

/** The request of an input with its answer; undefined for an operation without one. */
export function toRequest(
  operation: string,
  input: Input,
  answer: Stages,
): HttpRequest | undefined {
  return REQUESTS[operation]?.(input, answer);
}

function jsonRequest(body: unknown): HttpRequest | undefined {
  if (!isText(body)) return undefined;
  const headers: readonly Pair[] = [
    ['Host', ACTION_HOST],
    ['Content-Type', 'application/json'],
    ['Content-Length', `${Buffer.byteLength(body)}`],
  ];
  return { method: 'POST', target: '/', headers, body };
}

function actionRequest(target: unknown): HttpRequest | undefined {
  if (!isText(target)) return undefined;
  return { method: 'GET', target, headers: [['Host', ACTION_HOST]] };
}

/** The header or the form field of a signature; none for an answer without one. */
function listAuthorizations({ authorization }: Stages): readonly Pair[] {
  return isText(authorization) ? [['Authorization', authorization]] : [];
}

function fileRequest(
  { method, bucket, key, headers = [] }: Input,
  answer: Stages,
  target: string = filePath(String(key), SPECIFICATION),
): HttpRequest {
  const host = ['Host', `${bucket}.${FILE_HOST}`] as const;
  return {
    method: String(method),
    target,
    headers: [host, ...headers, ...listAuthorizations(answer)],
  };
}

function formRequest(input: Input, answer: Stages): HttpRequest {
  const fields = [...(input.fields ?? []), ...listAuthorizations(answer)];
  const lines = fields.map(
    ([name, value]) => `Content-Disposition: form-data; name="${name}"\n\n${value}`,
  );
  return { ...fileRequest({ ...input, method: 'POST' }, {}, '/'), body: lines.join('\n--\n') };
}

function urlRequest(
  method: unknown,
  url: unknown,
  headers: readonly Pair[] = [],
): HttpRequest | undefined {
  const [, host, target] = /^https?:\/\/([^/?#]*)(.*)$/s.exec(String(url)) ?? [];
  if (host === undefined || target === undefined) return undefined;
  return { method: String(method), target, headers: [['Host', host], ...headers] };
}

/** The request as text. */
export function requestText({ method, target, headers, body }: HttpRequest): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const end = body === undefined ? '' : `\n\n${body}`;
  return `${[`${method} ${target} HTTP/1.1`, ...lines].join('\n')}${end}`;
}

/** The command that sends the request to the server that `serve` starts. */
export function curlCommand({ method, target, headers, body }: HttpRequest): string {
  const url = quoteWord(`http://127.0.0.1:${DEFAULT_PORT}${target}`);
  const verb = method === 'HEAD' ? '--head' : `--request ${quoteWord(method)}`;
  const words = [
    ['curl', ...listPathOptions(target), verb, url].join(' '),
    ...headers
      .filter(([name]) => name !== 'Content-Length')
      .map(([name, value]) => `--header ${quoteWord(headerWord(name, value))}`),
    ...(body === undefined ? [] : [`--data-binary ${quoteWord(body)}`]),
  ];
  return words.join(' \\\n  ');
}

/** Keeps curl from changing a target that has dot segments or brackets. */
function listPathOptions(target: string): readonly string[] {
  return [
    ...(/\/\.{1,2}(?:[/?]|$)/.test(target) ? ['--path-as-is'] : []),
    ...(/[[\]{}]/.test(target) ? ['--globoff'] : []),
  ];
}

/** A header option. curl would leave out a header with a colon and no value. */
const headerWord = (name: string, value: string): string =>
  value === '' ? `${name};` : `${name}: ${value}`;

/** A word for a POSIX shell. */
function quoteWord(word: string): string {
  return /^[A-Za-z0-9_./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The command that computes the signature of a string to sign. */
export function opensslCommand(stages: Stages, privateKey: string): string | undefined {
  const signed = stages['stringToSign'];
  if (!isText(signed)) return undefined;
  const print = `printf ${quoteWord(printfFormat(signed))}`;
  if (stages['digest'] === undefined) return `${print} | openssl dgst -sha1`;
  const key = /^[\w.-]+$/.test(privateKey)
    ? `-hmac ${privateKey}`
    : `-mac HMAC -macopt hexkey:${Buffer.from(privateKey).toString('hex')}`;
  return `${print} |\n  openssl dgst -sha1 ${key} -binary | openssl base64`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\t': '\\t',
  '\\': '\\\\',
  '%': '%%',
};

/** A text as a format of `printf`, with control characters in octal. */
function printfFormat(signed: string): string {
  return signed.replace(
    /[\x00-\x1f\x7f\\%]/g,
    (character) =>
      ESCAPES[character] ?? `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
}

/** The forms of a vector that a reader can copy. */
export function listCopies(
  vector: Vector,
): readonly (readonly [name: string, language: string, text: string])[] {
  const stages = vector.expect ?? vector.control?.expect;
  const keys = (vector.expect ? vector.keys : vector.control?.keys) ?? vector.keys;
  const request = toRequest(vector.operation, vector.input, vector.expect ?? {});
  const curl = request && curlCommand(request);
  const python = reproduction(vector);
  const openssl = stages && opensslCommand(stages, keys.privateKey);
  return [
    // A word of a command cannot contain a NUL.
    ...(curl === undefined || curl.includes('\0') ? [] : ([['curl', 'sh', curl]] as const)),
    ...(python === undefined ? [] : ([['Python', 'sh', python]] as const)),
    ...(openssl === undefined ? [] : ([['openssl', 'sh', openssl]] as const)),
    ['JSON', 'json', JSON.stringify(vector)],
    ['YAML', 'yaml', stringify([toSource(vector)], { lineWidth: 110 })],
  ];
}

/** A vector as its file has it, without the members that the build adds. */
function toSource(vector: Vector): object {
  const { id, operation: _, level: __, ...rest } = vector;
  return { id: id.slice(id.lastIndexOf('/') + 1), ...rest };
}
