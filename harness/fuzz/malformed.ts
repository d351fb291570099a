/**
 * Requests that are signed and then sent in a form that a verifier must not take for one (§4.2, §4.3, §5.2, §5.3, §5.4).
 *
 * Nothing here is what the rules call open, such as the scheme in another case, or a parameter twice whose first
 * value is the signed one.
 *
 * @module
 */
import type { ActionParameters, HeaderList } from '../../reference/signing/index.ts';
import { urlEncode } from '../../reference/signing/index.ts';
import type { Dialect } from '../adapter/messages.ts';
import type { Input } from '../suite/vector.ts';
import type { Change } from './draft.ts';

/** Sets the kinds apart from those that change what was signed. */
const PREFIX = 'malformed ';

/** What is known about a signed request. */
export interface Signed {
  readonly request: Input;
  readonly publicKey: string;
  readonly signature: string;
  readonly dialect: Dialect;
  /** Which of the ways of a kind; the simplest first. */
  readonly at: number;
  /** The signature of parameters that are no whole request (§5.1). */
  readonly signatureOf: (parameters: ActionParameters) => string;
}

export interface Malformation {
  /** The request that is signed, where it is one that a lenient reader takes the sent one for. */
  readonly signed?: (request: Input, at: number) => Input;
  /** What is sent in place of the right input. */
  readonly sent: (input: Input, signed: Signed) => Input | undefined;
}

type Malformations = Readonly<Record<string, Malformation>>;

/** What a lenient decoder makes of escapes that are none, or none of UTF-8: pairs of that and of the escapes. */
const ESCAPES = [
  ['%', '%'],
  ['%zz', '%zz'],
  ['\u00e9', '%E9'],
  ['\ufffd', '%E9'],
  ['/', '%C0%AF'],
  ['\ufffd\ufffd\ufffd', '%ED%A0%80'],
] as const;

/** What lenient parsers make of numbers that JSON lacks: pairs of that and of the digits. */
const NUMBERS = [
  ['NaN', 'NaN'],
  ['10', '010'],
  ['1', '1.'],
  ['0.5', '.5'],
  ['1', '+1'],
  ['16', '0x10'],
  ['Infinity', 'Infinity'],
] as const;

function nth<T>(list: readonly T[], at: number): T {
  return list[at % list.length] as T;
}

/** The value of the header that carries the signature, replaced. */
function header(value: (signed: Signed) => string): Malformation {
  return {
    sent: (input, signed) => ({
      ...input,
      headers: (input['headers'] as HeaderList).map(([name, old]) => [
        name,
        isAuthorization(name) ? value(signed) : old,
      ]),
    }),
  };
}

function isAuthorization(name: string): boolean {
  return name.toLowerCase() === 'authorization';
}

/** The one text that carries the request, replaced. */
function text(
  member: string,
  replaced: (sent: string, signed: Signed) => string,
  signed?: Malformation['signed'],
): Malformation {
  return {
    ...(signed && { signed }),
    sent: (input, known) => ({ ...input, [member]: replaced(String(input[member]), known) }),
  };
}

const HEADER: Malformations = {
  'scheme-missing': header(({ publicKey, signature }) => `${publicKey}:${signature}`),
  'scheme-other': header(
    ({ publicKey, signature, at }) =>
      `${nth(['AWS', 'Basic', 'Bearer'], at)} ${publicKey}:${signature}`,
  ),
  'scheme-blanks': header(
    ({ dialect, publicKey, signature, at }) =>
      `${dialect.scheme}${nth(['', '  ', '\t', ': '], at)}${publicKey}:${signature}`,
  ),
  'colon-missing': header(({ dialect, signature }) => `${dialect.scheme} ${signature}`),
  'public-key-missing': header(({ dialect, signature }) => `${dialect.scheme} :${signature}`),
  'signature-missing': header(({ dialect, publicKey }) => `${dialect.scheme} ${publicKey}:`),
  'text-behind': header(
    ({ dialect, publicKey, signature, at }) =>
      `${dialect.scheme} ${publicKey}:${signature}${nth([' a', ':e30=', ':e30=:e30=', ',a=b'], at)}`,
  ),
  'header-twice': {
    sent: (input, { dialect, at }) => {
      const other = ['Authorization', `${dialect.scheme} other:AAAAAAAAAAAAAAAAAAAAAAAAAAA=`];
      const headers = input['headers'] as HeaderList;
      return { ...input, headers: at % 2 === 0 ? [...headers, other] : [other, ...headers] };
    },
  },
  'header-renamed': {
    sent: (input, { at }) => ({
      ...input,
      headers: (input['headers'] as HeaderList).flatMap(([name, value]) => {
        if (!isAuthorization(name)) return [[name, value]];
        return at % 2 === 0 ? [] : [['Proxy-Authorization', value]];
      }),
    }),
  },
};

/** A parameter of a query, its name's pattern given, left out or replaced. */
function pair(name: string, by: string, query: string): string {
  const found = new RegExp(`(^|[?&])${name}=[^&]*(&|$)`);
  return query.replace(found, by === '' ? '$1' : `$1${by}$2`).replace(/[?&]$/, '');
}

const MALFORMED_EXPIRES = [
  ...['never', '-1', '1785400000.25', '', '1785400000000000', 'Thu, 09 Jul 2026 07:15:00 GMT'],
  '\u0662\u0660',
];

const URL_TEXT: Malformations = {
  'public-key-missing': text('url', (url, { dialect }) =>
    pair(dialect.publicKeyParameter, '', url),
  ),
  'expires-missing': text('url', (url) => pair('Expires', '', url)),
  'signature-missing': text('url', (url) => pair('Signature', '', url)),
  'signature-empty': text('url', (url) => pair('Signature', 'Signature=', url)),
  'signature-renamed': text('url', (url) => url.replace(/([?&])Signature=/, '$1signature=')),
  'query-missing': text('url', (url) => url.replace(/\?.*/, '')),
  'expires-malformed': {
    signed: (request, at) => ({ ...request, expires: nth(MALFORMED_EXPIRES, at) }),
    sent: (input) => input,
  },
  'expires-second': {
    sent: (input, { request }) => ({
      ...input,
      url: `${input['url']}&Expires=99${request['expires']}`,
      now: `${Number(request['expires']) + 1}`,
    }),
  },
  'path-escape': text(
    'url',
    (url, { at }) => {
      const [taken, escapes] = nth(ESCAPES, at);
      const written = taken === '/' ? '/' : urlEncode(taken);
      return url.replace(`${written}?`, `${escapes}?`);
    },
    (request, at) => ({ ...request, key: `${request['key']}${nth(ESCAPES, at)[0]}` }),
  ),
  'query-escape': text('url', (url, { dialect }) =>
    url.replace(new RegExp(`([?&]${dialect.publicKeyParameter}=[^&]*)`), '$1%zz'),
  ),
  host: text('url', (url, { at, request }) => {
    const { bucket, fileHost } = request;
    const own = `://${bucket}.${fileHost}/`;
    const hosts = [`://${fileHost}/${bucket}/`, `://${bucket}.${fileHost}.other.example/`];
    return url.replace(own, nth([...hosts, `://${bucket}.other.example/`], at));
  }),
};

const QUERY: Malformations = {
  'action-missing': text('query', (query, signed) =>
    pair('Action', '', resigned(query, 'Action', signed)),
  ),
  'public-key-missing': text('query', (query, signed) =>
    pair('PublicKey', '', resigned(query, 'PublicKey', signed)),
  ),
  'signature-missing': text('query', (query) => pair('Signature', '', query)),
  'signature-empty': text('query', (query) => pair('Signature', 'Signature=', query)),
  'signature-renamed': text('query', (query) => query.replace(/(^|&)Signature=/, '$1signature=')),
  'query-empty': text('query', () => ''),
  'query-escape': text(
    'query',
    (query, { at }) => {
      const [taken, escapes] = nth(ESCAPES, at);
      return query.replace(`L=${urlEncode(taken)}`, `L=${escapes}`);
    },
    (request, at) => withParameter(request, nth(ESCAPES, at)[0]),
  ),
};

const JSON_TEXT: Malformations = {
  'action-missing': text('body', (body, signed) =>
    member('Action', resigned(body, 'Action', signed)),
  ),
  'public-key-missing': text('body', (body, signed) =>
    member('PublicKey', resigned(body, 'PublicKey', signed)),
  ),
  'signature-missing': text('body', (body) => member('Signature', body)),
  'signature-no-text': text('body', (body, { at }) =>
    body.replace(/"Signature":"[^"]*"/, `"Signature":${nth(['""', '1', 'true'], at)}`),
  ),
  'signature-renamed': text('body', (body) => body.replace('"Signature":', '"signature":')),
  'body-around': text('body', (body, { at }) =>
    nth([`[${body}]`, JSON.stringify(body), '', `${body}}`, `${body}a`, `${body}${body}`], at),
  ),
  'body-lenient': text('body', (body, { at }) =>
    nth([body.replace(/\}$/, ',}'), body.replace('{', '{/**/'), body.replace('{', '{//\n')], at),
  ),
  number: text(
    'body',
    (body, { at }) => {
      const [taken, digits] = nth(NUMBERS, at);
      return body.replace(`"L":"${taken}"`, `"L":${digits}`);
    },
    (request, at) => withParameter(request, nth(NUMBERS, at)[0]),
  ),
  'half-character': text(
    'body',
    (body) => body.replace('"L":"\ufffd"', '"L":"\\ud800"'),
    (request) => withParameter(request, '\ufffd'),
  ),
};

/** By operation and kind. */
const MALFORMATIONS: Readonly<Record<string, Malformations>> = {
  'verify-authorization': HEADER,
  'verify-presigned-url': URL_TEXT,
  'verify-query': QUERY,
  'verify-json': JSON_TEXT,
};

export function malformedKinds(operation: string): readonly string[] {
  return Object.keys(MALFORMATIONS[operation] ?? {}).map((kind) => PREFIX + kind);
}

export function malformation(operation: string, kind: string): Malformation | undefined {
  return kind.startsWith(PREFIX)
    ? MALFORMATIONS[operation]?.[kind.slice(PREFIX.length)]
    : undefined;
}

/** Kinds that only rules of level advised refuse. */
const ADVISED = [
  ...['header-twice', 'path-escape', 'query-escape'],
  ...['body-lenient', 'number', 'half-character'],
];

/** Of `body-around`, the ways from this one on are text behind a right body. */
const TEXT_BEHIND = 3;

/** Whether only rules of level advised refuse it. */
export function isMalformedByAdvice({ kind, at }: Change): boolean {
  if (!kind.startsWith(PREFIX)) return false;
  const own = kind.slice(PREFIX.length);
  return ADVISED.includes(own) || (own === 'body-around' && at % 6 >= TEXT_BEHIND);
}

function withParameter(request: Input, value: string): Input {
  const parameters = request['parameters'] as ActionParameters;
  return { ...request, parameters: [...parameters, ['L', value]] };
}

/** The text with the signature of its parameters without one of them. */
function resigned(
  sent: string,
  without: string,
  { request, signature, signatureOf }: Signed,
): string {
  const parameters = request['parameters'] as ActionParameters;
  return sent.replace(signature, signatureOf(parameters.filter(([name]) => name !== without)));
}

/** The body without a member whose value is a text. */
function member(name: string, body: string): string {
  return body.replace(new RegExp(`"${name}":"[^"]*",?`), '').replace(/,\}$/, '}');
}
