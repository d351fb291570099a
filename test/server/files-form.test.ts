/** Forms in every format that a published SDK sends (§4.3). */
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { openForm } from '../../reference/server/files/forms.ts';
import type { WireRequest } from '../../reference/server/messages/exchange.ts';
import { etag, formAuthorization, SPECIFICATION } from '../../reference/signing/index.ts';
import { seededBytes } from '../seed.ts';
import { type FileServer, fileServer, KEYS } from './file-server.ts';

const field = (name: string, value: string): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

const fileHead = (type?: string): string =>
  `--b\r\nContent-Disposition: form-data; name="file"; filename="x.txt"\r\n${
    type === undefined ? '' : `Content-Type: ${type}\r\n`
  }\r\n`;

const file = (content: string, type?: string): string => `${fileHead(type)}${content}\r\n`;

/** Stands for the value of Authorization in a body. */
const SIGNATURE = '<signature>';

const NAME = field('FileName', 'a');
const AUTHORIZATION = field('Authorization', SIGNATURE);

const withSignature = (body: string) => (authorization: string) =>
  body.replaceAll(SIGNATURE, () => authorization);

const SIGNED = [['Content-Type', 'Text/HTML; charset=utf-8']] as const;
const TYPE = SIGNED[0][1];

const UMLAUT = field('FileName', 'ä b');

test.each([
  ['as in the documentation', `${UMLAUT}${AUTHORIZATION}${file('hello', TYPE)}--b--\r\n`],
  [
    'as the SDK for Go sends it, with an extra part',
    `${AUTHORIZATION}${field('Content-Type', TYPE)}${UMLAUT}${file('hello', 'x/y')}--b\r\n\r\n--b--\r\n`,
  ],
  [
    'as the SDK for Python sends it, without a closing delimiter',
    `${UMLAUT}${AUTHORIZATION}${file('hello', TYPE)}--b\r\n`,
  ],
  [
    'with the key in ObjectName',
    `${field('ObjectName', 'ä b')}${AUTHORIZATION}${file('hello', TYPE)}--b--\r\n`,
  ],
])('a form is accepted %s', async (_, body) => {
  const { ask, post } = await fileServer();
  const reply = await post({ key: 'ä b', signed: SIGNED, body: withSignature(body) });
  expect([reply.status, reply.headers.get('ETag')]).toEqual([
    200,
    `"${etag(Buffer.from('hello'), SPECIFICATION).etag}"`,
  ]);
  const got = await ask('GET', '/%C3%A4%20b');
  expect([got.bytes.toString(), got.headers.get('Content-Type')]).toEqual(['hello', TYPE]);
});

test('the path and the header Authorization of a form are ignored', async () => {
  const { ask, post } = await fileServer();
  const reply = await post({
    key: 'a',
    path: '/other?x=y',
    headers: {
      Authorization: 'Svc pub-example:signed-over-the-type-of-the-form',
      'X-Ufile-Meta-Color': 'red',
      'X-Ufile-Storage-Class': 'IA',
    },
    body: withSignature(`${NAME}${AUTHORIZATION}${file('x')}--b--`),
  });
  expect(reply.status).toBe(200);
  const { headers } = await ask('GET', '/a');
  expect([headers.get('X-Ufile-Meta-Color'), headers.get('X-Ufile-Storage-Class')]).toEqual([
    'red',
    'IA',
  ]);
  expect((await ask('GET', '/other')).status).toBe(404);
});

const ENDS = { normal: '--b--\r\n', Go: '--b\r\n\r\n--b--\r\n', Python: '--b\r\n', short: '--b--' };

test.each(Object.entries(ENDS))(
  'a large file in a form is stored byte for byte, with the end: %s',
  async (_, end) => {
    const { ask, post } = await fileServer();
    // The file has many prefixes of the delimiter.
    const beginnings = Buffer.from('\r\n--\r\n-\r\n--B'.repeat(9999));
    const content = Buffer.concat([seededBytes(5_000_000), beginnings]);
    const reply = await post({
      key: 'a',
      body: (auth) =>
        Buffer.concat([
          Buffer.from(`${NAME}${field('Authorization', auth)}${fileHead()}`),
          content,
          Buffer.from(`\r\n${end}`),
        ]),
    });
    expect(reply.status).toBe(200);
    expect((await ask('GET', '/a')).bytes.equals(content)).toBe(true);
  },
);

test.each(Object.entries(ENDS))(
  'a form is read wherever its body is cut into pieces, with the end: %s',
  async (_, end) => {
    const content = 'x'.repeat(100_000);
    const body = Buffer.from(`${NAME}${file(content)}${end}`);
    const begin = body.indexOf('xxx');
    const cuts = [...range(0, begin + 9), ...range(begin + content.length - 9, body.length)];
    for (const cut of cuts) {
      const form = await openForm(formRequest([body.subarray(0, cut), body.subarray(cut)]));
      let received = '';
      for await (const piece of form.file) received += Buffer.from(piece).toString();
      await form.rest;
      expect([cut, received === content, form.fields]).toEqual([cut, true, [['FileName', 'a']]]);
    }
  },
);

function range(start: number, end: number): readonly number[] {
  return Array.from({ length: end - start }, (_, at) => start + at);
}

function formRequest(pieces: readonly Uint8Array[]): WireRequest {
  return {
    id: '',
    method: 'POST',
    target: '/',
    host: '',
    path: '/',
    query: '',
    headers: [['Content-Type', 'multipart/form-data; boundary=b']],
    arrived: 0,
    body: {
      length: undefined,
      pieces: async function* () {
        yield* pieces;
      },
      bytes: () => Promise.reject(new Error('a form is read in pieces')),
    },
  };
}

test('Content-MD5 in the header or a field of a form is verified against the file', async () => {
  const { ask, post } = await fileServer();
  const md5 = createHash('md5').update('hello').digest('hex');
  const put = (key: string, content: string, isField: boolean) =>
    post({
      key,
      ...(isField ? { signed: [['Content-MD5', md5]] } : { headers: [['Content-MD5', md5]] }),
      body: withSignature(
        `${field('FileName', key)}${isField ? field('Content-MD5', md5) : ''}${AUTHORIZATION}${file(content)}--b--`,
      ),
    });
  for (const isField of [true, false]) {
    expect((await put('a', 'hello', isField)).status).toBe(200);
    expect((await put('b', 'hullo', isField)).json()['RetCode']).toBe(-149102);
  }
  expect((await ask('GET', '/b')).status).toBe(404);
});

test.each([
  ['without a file', 400, `${NAME}${AUTHORIZATION}--b--`],
  ['with an empty body', 400, ''],
  ['without FileName', 400, `${AUTHORIZATION}${file('x')}--b--`],
  ['with an empty FileName', 400, `${field('FileName', '')}${AUTHORIZATION}${file('x')}--b--`],
  ['without Authorization', 403, `${NAME}${file('x')}--b--`],
  ['signed for another key', 403, `${field('FileName', 'z')}${AUTHORIZATION}${file('x')}--b--`],
  ['whose fields come after the file', 400, `${file('x')}${NAME}${AUTHORIZATION}--b--`],
  ['that ends within the file', 400, `${NAME}${AUTHORIZATION}${fileHead()}hel`],
  ['that ends within a field', 400, `${NAME}${AUTHORIZATION.slice(0, -9)}`],
  [
    'with fields that are too long in total',
    400,
    `${NAME}${field('x', 'x'.repeat(5000)).repeat(14)}${AUTHORIZATION}${file('x')}--b--`,
  ],
  [
    'with too many fields',
    400,
    `${NAME}${field('x', '').repeat(200)}${AUTHORIZATION}${file('x')}--b--`,
  ],
  [
    'whose parts have other names',
    400,
    `${NAME}${AUTHORIZATION}${file('x').replace('"file"', '"upload"')}--b--`,
  ],
])('a form %s is refused and leaves nothing behind', async (_, status, body) => {
  const { post, service } = await fileServer();
  const reply = await post({ key: 'a', body: withSignature(body) });
  expect([reply.status, reply.json()['ErrMsg']]).toEqual([status, expect.any(String)]);
  await expectNothing(service);
});

test('a form without a boundary is refused', async () => {
  const { post } = await fileServer();
  const headers = [['Content-Type', 'multipart/form-data']] as const;
  expect((await post({ key: 'a', headers, body: () => 'x' })).status).toBe(400);
});

test('fields and further files after the file are ignored', async () => {
  const { ask, post } = await fileServer();
  const reply = await post({
    key: 'a',
    body: withSignature(
      `${NAME}${AUTHORIZATION}${file('one')}${file('two')}${field('FileName', 'b')}--b--`,
    ),
  });
  expect(reply.status).toBe(200);
  expect((await ask('GET', '/a')).bytes.toString()).toBe('one');
  expect((await ask('GET', '/b')).status).toBe(404);
});

test('a form is read no faster than its file is consumed', async () => {
  let read = 0;
  const endless = async function* () {
    yield Buffer.from(fileHead());
    for (; ; read += 1) yield Buffer.alloc(64 * 1024);
  };
  const request = formRequest([]);
  const form = await openForm({ ...request, body: { ...request.body, pieces: endless } });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(read).toBeLessThan(3);
  form.close();
  await expect(form.rest).rejects.toThrow();
});

test.each([
  ['within its file', ''],
  ['after its file', '\r\n--b\r\n'],
])('a form that is interrupted %s leaves nothing behind', async (_, more) => {
  const { port, service } = await fileServer();
  const form = { bucket: 'box', key: 'a', headers: [], fields: [] };
  const { authorization } = formAuthorization(form, KEYS, SPECIFICATION);
  const content = `${NAME}${field('Authorization', authorization)}${fileHead()}hello${more}`;
  const socket = connect(port, '127.0.0.1');
  socket.end(
    `POST / HTTP/1.1\r\nHost: box.files.svc.example\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 9999\r\n\r\n${content}`,
  );
  let answer = '';
  for await (const piece of socket) answer += piece;
  expect(answer).toMatch(/^HTTP\/1.1 400 .*breaks off/s);
  await expectNothing(service);
});

async function expectNothing({ store }: FileServer['service']): Promise<void> {
  expect(await store.objects('box', { prefix: '', after: '', limit: 9 })).toEqual([]);
  expect(await store.faults()).toEqual([]);
}
