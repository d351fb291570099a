import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatLogLine } from '../../harness/respondents/serve/exchange-lines.ts';
import type { Exchange } from '../../harness/respondents/serve/start.ts';
import { authorization, presignedUrl, SPECIFICATION } from '../../reference/signing/index.ts';
import { someOf, thorough } from '../amount.ts';
import { svcConformance } from '../harness/svc-conformance.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { rawExchange } from './raw-client.ts';
import { started } from './serving.ts';

const folder = folderOfFile();

const KEYS = { publicKey: 'pub-of-the-test', privateKey: 'Qz7+Kk/"W9<x>&Lm=pR%4' };

const bytes = Buffer.from(KEYS.privateKey, 'utf8');
const hex = bytes.toString('hex');
const escaped = (write: (unit: string) => string): string =>
  [...KEYS.privateKey].map(write).join('');
const code = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(2, '0');
const base64 = bytes.toString('base64');

/** The private key as a client may write it by mistake. */
const FORMS: Readonly<Record<string, string>> = {
  raw: KEYS.privateKey,
  'in lower case': KEYS.privateKey.toLowerCase(),
  'in upper case': KEYS.privateKey.toUpperCase(),
  backwards: [...KEYS.privateKey].reverse().join(''),
  'percent-encoded': encodeURIComponent(KEYS.privateKey),
  'percent-encoded in lower case': encodeURIComponent(KEYS.privateKey).toLowerCase(),
  'percent-encoded twice': encodeURIComponent(encodeURIComponent(KEYS.privateKey)),
  'every byte percent-encoded': escaped((unit) => `%${code(unit)}`),
  'every byte percent-encoded in upper case': escaped((unit) => `%${code(unit).toUpperCase()}`),
  hexadecimal: hex,
  'hexadecimal in upper case': hex.toUpperCase(),
  Base64: base64,
  'Base64 without padding': base64.replace(/(?<!=)=+$/, ''),
  'Base64, escaped': encodeURIComponent(base64),
  Base64url: bytes.toString('base64url'),
  'Base64 behind one byte': Buffer.concat([Buffer.from('u'), bytes]).toString('base64'),
  'Base64 behind two bytes': Buffer.concat([Buffer.from('uv'), bytes]).toString('base64'),
  'Base64 of Basic': Buffer.from(`${KEYS.publicKey}:${KEYS.privateKey}`).toString('base64'),
  'Base64 of hexadecimal': Buffer.from(hex).toString('base64'),
  JSON: JSON.stringify(KEYS.privateKey).slice(1, -1),
  'JSON escapes': escaped((unit) => `\\u00${code(unit)}`),
  'JSON escapes in upper case': escaped((unit) => `\\u00${code(unit).toUpperCase()}`),
  'decimal entities': escaped((unit) => `&#${unit.charCodeAt(0)};`),
  'hexadecimal entities': escaped((unit) => `&#x${code(unit)};`),
  'named entities': KEYS.privateKey
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;'),
};

const isToken = (text: string): boolean => /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);

/** A request with a text in one place; undefined if HTTP cannot carry the text there. */
const PLACES: Readonly<Record<string, (text: string) => string | undefined>> = {
  path: (text) => (/[\s?#]/.test(text) ? undefined : request({ target: `/${text}` })),
  'path of a page': (text) =>
    /[\s?#]/.test(text) ? undefined : request({ target: `/-/${text}`, host: 'localhost' }),
  query: (text) => request({ target: `/a?x=${text}` }),
  'signature in the query': (text) =>
    request({ target: `/a?SvcPublicKey=${KEYS.publicKey}&Expires=9999999999&Signature=${text}` }),
  'public key in the query': (text) =>
    request({ target: `/a?SvcPublicKey=${text}&Expires=9999999999&Signature=A` }),
  'header name': (text) => (isToken(text) ? request({ headers: [`X-Svc-${text}: 1`] }) : undefined),
  'header value': (text) =>
    request({ headers: [`X-Svc-Note: ${text}`, `Authorization: Svc ${KEYS.publicKey}:AAAA`] }),
  'storage class': (text) => request({ headers: [`X-Ufile-Storage-Class: ${text}`] }),
  'preflight header': (text) =>
    request({
      method: 'OPTIONS',
      headers: ['Origin: null', `Access-Control-Request-Headers: ${text}`],
    }),
  'signature in Authorization': (text) =>
    request({ headers: [`Authorization: Svc ${KEYS.publicKey}:${text}`] }),
  'public key in Authorization': (text) =>
    request({ headers: [`Authorization: Svc ${text}:AAAA`] }),
  'Authorization alone': (text) => request({ headers: [`Authorization: ${text}`] }),
  'Basic credentials': (text) => request({ headers: [`Authorization: Basic ${text}`] }),
  host: (text) => request({ host: text }),
  tunnel: (text) => request({ method: 'CONNECT', target: `${'a'.repeat(90)}${text}:443` }),
  'whole URL': (text) => (/[\s?#]/.test(text) ? undefined : request({ target: `ftp://${text}/` })),
  'action query': (text) =>
    request({
      target: `/?Action=A&PublicKey=${KEYS.publicKey}&Signature=${text}`,
      host: 'api.localhost',
    }),
  'action name': (text) =>
    request({ target: `/?Action=${text}&PublicKey=${text}&Signature=A`, host: 'api.localhost' }),
  'action JSON': (text) =>
    request({
      method: 'POST',
      host: 'api.localhost',
      body: `{"Action":"A","PublicKey":"${KEYS.publicKey}","Signature":"${text}"}`,
    }),
  'form field': (text) => form('Note', text),
  'Authorization of a form': (text) => form('Authorization', `Svc ${KEYS.publicKey}:${text}`),
};

interface Asked {
  readonly method?: string;
  readonly target?: string;
  readonly host?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
}

function request({
  method,
  target = '/a',
  host = 'demo.localhost',
  headers = [],
  body = '',
}: Asked) {
  return [
    `${method ?? (body === '' ? 'GET' : 'POST')} ${target} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: close',
    ...headers,
    ...(body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    body,
  ].join('\r\n');
}

function form(name: string, text: string): string {
  const part = (field: string, value: string): string =>
    `--b\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`;
  const file =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nx\r\n--b--\r\n';
  return request({
    headers: ['Content-Type: multipart/form-data; boundary=b'],
    body: `${part('FileName', 'a')}${part(name, text)}${file}`,
  });
}

/** The forms of the private key that a text contains, in any case. */
function formsIn(text: string): readonly string[] {
  const looked = text.toLowerCase();
  return Object.keys(FORMS).filter((name) => looked.includes((FORMS[name] ?? '').toLowerCase()));
}

const page = (port: number, path: string): Promise<string> =>
  rawExchange(port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);

/** Each place is tested with one form in 25, a different one each; SVC_TEST_RUNS adds more. */
const SHARE = 25;

const TURNS = Object.keys(PLACES).map((place, turn) => [place, turn] as const);

test.each(someOf(TURNS, 6))(
  'no form of the private key in the %s reaches an answer, the log or a page',
  async (place, turn) => {
    const all = Object.values(FORMS);
    const start = turn % SHARE;
    const carried = [...all.slice(start), ...all.slice(0, start)].flatMap(
      (text) => PLACES[place]?.(text) ?? [],
    );
    expect(carried.length).toBeGreaterThan(7);
    const exchanges: Exchange[] = [];
    const server = await started({
      accounts: [KEYS],
      buckets: [{ name: 'demo' }],
      onExchange: (exchange) => exchanges.push(exchange),
    });
    const answers: string[] = [];
    for (const text of someOf(carried, SHARE)) answers.push(await rawExchange(server.port, text));
    const pages = ['/-/', '/-/wrong', '/-/requests.json'].map((path) => page(server.port, path));
    const shown = [...answers, ...(await Promise.all(pages)), ...exchanges.map(formatLogLine)];
    expect(
      shown.flatMap((text) => formsIn(text).map((name) => [name, text.slice(0, 2000)])),
    ).toEqual([]);
  },
);

const PAIRS: readonly (readonly [what: string, keys: typeof KEYS])[] = [
  ['the key pair', KEYS],
  [
    'the key pair with its keys swapped',
    { publicKey: KEYS.privateKey, privateKey: KEYS.publicKey },
  ],
];

thorough.each(PAIRS)(
  'no form of the private key reaches the report of explain, given %s',
  async (_, keys) => {
    const file = join(folder, 'keys.json');
    writeFileSync(file, JSON.stringify(keys));
    const all = someOf(Object.values(FORMS), 4).map((text, i) => `X-Svc-${i}: ${text}`);
    const values = [
      request({ headers: [...all, `Authorization: Svc ${KEYS.publicKey}:AAAA`] }),
      request({ headers: [`Authorization: Svc ${KEYS.publicKey}:${KEYS.privateKey}`] }),
      request({ headers: [`Authorization: Basic ${FORMS['Base64 of Basic']}`] }),
      request({ headers: [`Authorization: Svc ${KEYS.privateKey}:AAAA`] }),
    ];
    const others = ['nothing of HTTP', request({ headers: ['Authorization: A'] })];
    for (const text of [...someOf(values, 2), ...others]) {
      const captured = join(folder, 'captured.txt');
      writeFileSync(captured, text);
      const { stdout, stderr } = await svcConformance(
        `explain ${captured} --keys ${file} --bucket demo`,
      );
      expect(stdout + stderr).not.toBe('');
      expect(formsIn(stdout + stderr), stdout + stderr).toEqual([]);
    }
  },
);

const NOW = 1_700_000_000;

test('pages and log show no signature of a correct or unjudged request', async () => {
  const exchanges: Exchange[] = [];
  const server = await started({
    clock: () => NOW,
    buckets: [{ name: 'demo' }],
    onExchange: (exchange) => exchanges.push(exchange),
  });
  const file = { method: 'PUT', bucket: 'demo', key: 'a', headers: [] };
  const header = authorization(file, server.keys, SPECIFICATION);
  const expires = String(NOW + 60);
  const url = presignedUrl(
    { ...file, method: 'GET', expires, scheme: 'http', fileHost: 'localhost' },
    server.keys,
    SPECIFICATION,
  );
  const foreign = { ...file, bucket: 'none' };
  const other = authorization(foreign, server.keys, SPECIFICATION);
  const sent: readonly Asked[] = [
    { method: 'PUT', headers: [`Authorization: ${header.authorization}`, 'Content-Length: 0'] },
    { target: url.url.replace('http://demo.localhost', '') },
    { method: 'PUT', host: 'none.localhost', headers: [`Authorization: ${other.authorization}`] },
    { method: 'PUT', target: '/b', headers: ['Authorization: Bearer token-of-another'] },
  ];
  for (const one of sent) await rawExchange(server.port, request(one));
  expect(exchanges.map(({ status }) => status)).toEqual([200, 200, 404, 403]);
  const paths = ['/-/', '/-/wrong', '/-/requests.json'].map((path) => page(server.port, path));
  const shown = [...(await Promise.all(paths)), ...exchanges.map(formatLogLine)].join('\n');
  expect(shown).toContain('&lt;signature&gt;');
  const secrets = [header.signature, url.signature, url.encodedSignature, other.signature];
  for (const secret of [...secrets, 'token-of-another']) expect(shown).not.toContain(secret);
});

test.each([
  ['localhost', 200],
  ['127.0.0.1:1', 200],
  ['[::1]', 200],
  ['127.1.2.3', 200],
  ['192.0.2.1', 403],
  ['files.localhost', 403],
  ['files.svc.example', 403],
  ['rebound.example', 421],
  ['localhost.rebound.example', 421],
])('under the host %s, the pages of requests are answered %i', async (host, status) => {
  const server = await started();
  for (const path of ['/-/', '/-/wrong', '/-/requests.json', '/']) {
    const text = request({ target: path, host });
    expect(await rawExchange(server.port, text)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  }
});

test.each([
  [{ recent: 0 }, 403, 'switched off'],
  [{ host: '0.0.0.0' }, 403, 'switched off'],
  [{ host: '0.0.0.0', recent: 5 }, 200, 'Recent requests'],
  [{ host: '127.0.0.1' }, 200, 'Recent requests'],
])('a server with the options %j answers its page with %i', async (options, status, text) => {
  const server = await started(options);
  const answer = await page(server.port, '/-/');
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(answer).toContain(text);
  expect(await page(server.port, '/-/health')).toMatch(/^HTTP\/1.1 200 /);
});

test('a file is served with a sandbox policy and nosniff', async () => {
  const server = await started({ buckets: [{ name: 'demo', type: 'public' }] });
  const headers = [['Content-Type', 'text/html']] as const;
  const put = { method: 'PUT', bucket: 'demo', key: 'a', headers };
  const { authorization: value } = authorization(put, server.keys, SPECIFICATION);
  const body = '<script>fetch("/-/requests.json")</script>';
  const sent = request({
    method: 'PUT',
    headers: [`Authorization: ${value}`, 'Content-Type: text/html'],
    body,
  });
  expect(await rawExchange(server.port, sent)).toMatch(/^HTTP\/1.1 200 /);
  for (const method of ['GET', 'HEAD']) {
    for (const more of [[], ['Range: bytes=0-1']]) {
      const answer = await rawExchange(server.port, request({ method, headers: more }));
      expect(answer).toMatch(/^HTTP\/1.1 20[06] /);
      expect(answer).toContain('\r\nContent-Security-Policy: sandbox\r\n');
      expect(answer).toContain('\r\nX-Content-Type-Options: nosniff\r\n');
    }
  }
});
