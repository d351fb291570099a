/**
 * Correctly signed requests in malformed notations, which a verifier must refuse (§4.2, §4.3, §5.2, §5.3, §5.4).
 *
 * Notations about which the rules are open are left out, such as the scheme in another case, or a repeated parameter
 * whose first value is the signed one.
 *
 * @module
 */
import type { ActionParameters, Pair } from '../../../reference/signing/index.ts';
import { urlEncode } from '../../../reference/signing/index.ts';
import type { Dialect } from '../../engine/protocol.ts';
import type { Input } from '../../engine/vector.ts';
import { type Change, itemAt } from './draft.ts';

/** A signed request, and the means to sign another. */
export interface Signed {
  readonly request: Input;
  readonly publicKey: string;
  readonly signature: string;
  readonly dialect: Dialect;
  /** Selects a variant of the kind; the simplest first. */
  readonly at: number;
  /** Signs parameters that are not a complete request (§5.1). */
  readonly signatureOf: (parameters: ActionParameters) => string;
}

export interface Malformation {
  /** The request that is signed instead: the one that a lenient parser reads from the malformed one. */
  readonly signed?: (request: Input, at: number) => Input;
  /** The malformed input, from the correct one. */
  readonly sent: (input: Input, signed: Signed) => Input;
}

type Malformations = Readonly<Record<string, Malformation>>;

/** Invalid escapes: pairs of the text that a lenient decoder reads and of the escapes. */
const ESCAPES = [
  ['%', '%'],
  ['%zz', '%zz'],
  ['\u00e9', '%E9'],
  ['\ufffd', '%E9'],
  ['/', '%C0%AF'],
  ['\ufffd\ufffd\ufffd', '%ED%A0%80'],
] as const;

/** Numbers that are not JSON: pairs of the number that a lenient parser reads and of the notation. */
const NUMBERS = [
  ['NaN', 'NaN'],
  ['10', '010'],
  ['1', '1.'],
  ['0.5', '.5'],
  ['1', '+1'],
  ['16', '0x10'],
  ['Infinity', 'Infinity'],
] as const;

/** Replaces the value of the Authorization header. */
function replaceHeader(value: (signed: Signed) => string): Malformation {
  return {
    sent: (input, signed) => ({
      ...input,
      headers: (input.headers ?? []).map(([name, old]) => [
        name,
        isAuthorization(name) ? value(signed) : old,
      ]),
    }),
  };
}

function isAuthorization(name: string): boolean {
  return name.toLowerCase() === 'authorization';
}

/** Replaces the one text of the input. */
function replaceText(
  member: keyof Input,
  replace: (sent: string, signed: Signed) => string,
  signed: Malformation['signed'] = (request) => request,
): Malformation {
  return {
    signed,
    sent: (input, known) => ({ ...input, [member]: replace(String(input[member]), known) }),
  };
}

const HEADER: Malformations = {
  'scheme-missing': replaceHeader(({ publicKey, signature }) => `${publicKey}:${signature}`),
  'scheme-other': replaceHeader(
    ({ publicKey, signature, at }) =>
      `${itemAt(['AWS', 'Basic', 'Bearer'], at)} ${publicKey}:${signature}`,
  ),
  'scheme-blanks': replaceHeader(
    ({ dialect, publicKey, signature, at }) =>
      `${dialect.scheme}${itemAt(['', '  ', '\t', ': '], at)}${publicKey}:${signature}`,
  ),
  'colon-missing': replaceHeader(({ dialect, signature }) => `${dialect.scheme} ${signature}`),
  'public-key-missing': replaceHeader(
    ({ dialect, signature }) => `${dialect.scheme} :${signature}`,
  ),
  'signature-missing': replaceHeader(({ dialect, publicKey }) => `${dialect.scheme} ${publicKey}:`),
  'text-behind': replaceHeader(
    ({ dialect, publicKey, signature, at }) =>
      `${dialect.scheme} ${publicKey}:${signature}${itemAt([' a', ':e30=', ':e30=:e30=', ',a=b'], at)}`,
  ),
  'header-twice': {
    sent: (input, { dialect, at }) => {
      const other: Pair = ['Authorization', `${dialect.scheme} other:AAAAAAAAAAAAAAAAAAAAAAAAAAA=`];
      const headers = input.headers ?? [];
      return { ...input, headers: at % 2 === 0 ? [...headers, other] : [other, ...headers] };
    },
  },
  'header-renamed': {
    sent: (input, { at }) => ({
      ...input,
      headers: (input.headers ?? []).flatMap(([name, value]): readonly Pair[] => {
        if (!isAuthorization(name)) return [[name, value]];
        return at % 2 === 0 ? [] : [['Proxy-Authorization', value]];
      }),
    }),
  },
};

/** Removes a parameter of a query. */
const removeParameter = (name: string, query: string): string =>
  query.replace(new RegExp(`(^|[?&])${name}=[^&]*(?:&|$)`), '$1').replace(/[?&]$/, '');

const emptySignature = (query: string): string =>
  query.replace(/((?:^|[?&])Signature=)[^&]*/, '$1');

/** Removes a member whose value is a text. */
const removeMember = (name: string, body: string): string =>
  body.replace(new RegExp(`"${name}":"[^"]*",?`), '').replace(/,\}$/, '}');

/** Leaves out a parameter, and signs the others. */
function signWithout(
  member: 'query' | 'body',
  name: string,
  remove: (name: string, text: string) => string,
): Malformation {
  return replaceText(member, (text, { request, signature, signatureOf }) => {
    const others = (request.parameters ?? []).filter(([other]) => other !== name);
    return remove(name, text.replace(signature, signatureOf(others)));
  });
}

const MALFORMED_EXPIRES = [
  ...['never', '-1', '1785400000.25', '', 'Thu, 09 Jul 2026 07:15:00 GMT'],
  '\u0662\u0660',
];

const URL_TEXT: Malformations = {
  'public-key-missing': replaceText('url', (url, { dialect }) =>
    removeParameter(dialect.publicKeyParameter, url),
  ),
  'expires-missing': replaceText('url', (url) => removeParameter('Expires', url)),
  'signature-missing': replaceText('url', (url) => removeParameter('Signature', url)),
  'signature-empty': replaceText('url', emptySignature),
  'signature-renamed': replaceText('url', (url) => url.replace(/([?&])Signature=/, '$1signature=')),
  'query-missing': replaceText('url', (url) => url.replace(/\?.*/, '')),
  'expires-malformed': {
    signed: (request, at) => ({ ...request, expires: itemAt(MALFORMED_EXPIRES, at) }),
    sent: (input) => input,
  },
  'expires-second': {
    sent: (input, { request }) => ({
      ...input,
      url: `${input.url}&Expires=99${request.expires}`,
      now: `${Number(request.expires) + 1}`,
    }),
  },
  'path-escape': replaceText(
    'url',
    (url, { at }) => {
      const [taken, escapes] = itemAt(ESCAPES, at);
      const written = taken === '/' ? '/' : urlEncode(taken);
      return url.replace(`${written}?`, `${escapes}?`);
    },
    (request, at) => ({ ...request, key: `${request.key}${itemAt(ESCAPES, at)[0]}` }),
  ),
  'query-escape': replaceText('url', (url, { dialect }) =>
    url.replace(new RegExp(`([?&]${dialect.publicKeyParameter}=[^&]*)`), '$1%zz'),
  ),
  host: replaceText('url', (url, { at, request }) => {
    const { bucket, fileHost } = request;
    const own = `://${bucket}.${fileHost}/`;
    const hosts = [`://${fileHost}/${bucket}/`, `://${bucket}.${fileHost}.other.example/`];
    return url.replace(own, itemAt([...hosts, `://${bucket}.other.example/`], at));
  }),
};

const QUERY: Malformations = {
  'action-missing': signWithout('query', 'Action', removeParameter),
  'public-key-missing': signWithout('query', 'PublicKey', removeParameter),
  'signature-missing': replaceText('query', (query) => removeParameter('Signature', query)),
  'signature-empty': replaceText('query', emptySignature),
  'signature-renamed': replaceText('query', (query) =>
    query.replace(/(^|&)Signature=/, '$1signature='),
  ),
  'query-empty': replaceText('query', () => ''),
  'query-escape': replaceText(
    'query',
    (query, { at }) => {
      const [taken, escapes] = itemAt(ESCAPES, at);
      return query.replace(`L=${urlEncode(taken)}`, `L=${escapes}`);
    },
    (request, at) => withParameter(request, itemAt(ESCAPES, at)[0]),
  ),
};

const JSON_TEXT: Malformations = {
  'action-missing': signWithout('body', 'Action', removeMember),
  'public-key-missing': signWithout('body', 'PublicKey', removeMember),
  'signature-missing': replaceText('body', (body) => removeMember('Signature', body)),
  'signature-no-text': replaceText('body', (body, { at }) =>
    body.replace(/"Signature":"[^"]*"/, `"Signature":${itemAt(['""', '1', 'true'], at)}`),
  ),
  'signature-renamed': replaceText('body', (body) => body.replace('"Signature":', '"signature":')),
  'body-around': replaceText('body', (body, { at }) =>
    itemAt([`[${body}]`, JSON.stringify(body), '', `${body}}`, `${body}a`, `${body}${body}`], at),
  ),
  'body-lenient': replaceText('body', (body, { at }) =>
    itemAt([body.replace(/\}$/, ',}'), body.replace('{', '{/**/'), body.replace('{', '{//\n')], at),
  ),
  number: replaceText(
    'body',
    (body, { at }) => {
      const [taken, digits] = itemAt(NUMBERS, at);
      return body.replace(`"L":"${taken}"`, `"L":${digits}`);
    },
    (request, at) => withParameter(request, itemAt(NUMBERS, at)[0]),
  ),
  'half-character': replaceText(
    'body',
    (body) => body.replace('"L":"\ufffd"', '"L":"\\ud800"'),
    (request) => withParameter(request, '\ufffd'),
  ),
};

/** By operation and kind. No kind is also a change of the signed request. */
export const MALFORMATIONS: Readonly<Record<string, Malformations>> = {
  'verify-authorization': HEADER,
  'verify-presigned-url': URL_TEXT,
  'verify-query': QUERY,
  'verify-json': JSON_TEXT,
};

/** Only rules of level advised refuse these kinds. */
const ADVISED = [
  ...['header-twice', 'path-escape', 'query-escape'],
  ...['body-lenient', 'number', 'half-character'],
];

/** From this variant on, `body-around` adds text after a correct body. */
const TEXT_BEHIND = 3;

/** Whether only rules of level advised refuse the request. */
export function isMalformedByAdvice({ kind, at }: Change): boolean {
  return ADVISED.includes(kind) || (kind === 'body-around' && at % 6 >= TEXT_BEHIND);
}

function withParameter(request: Input, value: string): Input {
  return { ...request, parameters: [...(request.parameters ?? []), ['L', value]] };
}
