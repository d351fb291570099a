/** Files are put, read and deleted as published clients do it. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { etag, SPECIFICATION } from '../../reference/signing/index.ts';
import { seededBytes } from '../seed.ts';
import { fileServer } from './file-server.ts';

const MEBIBYTE = 1024 * 1024;

const quoted = (content: Uint8Array): string => `"${etag(content, SPECIFICATION).etag}"`;

test('a file of any size is returned byte for byte, with the ETag of §2', async () => {
  const { ask } = await fileServer();
  for (const size of [0, 1, 4 * MEBIBYTE - 1, 4 * MEBIBYTE, 4 * MEBIBYTE + 1, 8 * MEBIBYTE + 1]) {
    const content = seededBytes(size);
    const put = await ask('PUT', '/a.bin', { body: content });
    expect([size, put.status, put.headers.get('ETag')]).toEqual([size, 200, quoted(content)]);
    expect(put.bytes.length).toBe(0);
    const got = await ask('GET', '/a.bin');
    expect([got.status, got.headers.get('Content-Length')]).toEqual([200, String(size)]);
    expect(got.bytes.equals(content)).toBe(true);
  }
});

test('GET and HEAD return headers in the case that the C and PHP SDKs need', async () => {
  const { ask } = await fileServer({ now: () => 1_000_000_000 });
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'X-Ufile-Storage-Class': 'IA',
    'X-Ufile-Meta-Color': 'grün',
    'X-Svc-Meta-size': 'large',
  };
  // The PHP SDK sends keys unescaped.
  expect((await ask('PUT', '/ä%2Fb', { body: 'hello', headers })).status).toBe(200);
  const said = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': '5',
    ETag: quoted(Buffer.from('hello')),
    'Last-Modified': 'Sun, 09 Sep 2001 01:46:40 GMT',
    'Accept-Ranges': 'bytes',
    'X-Ufile-Storage-Class': 'IA',
    'X-Ufile-Meta-Color': 'grün',
    'X-Ufile-Meta-size': 'large',
  };
  const got = await ask('GET', '/%C3%A4/b');
  expect(got.bytes.toString()).toBe('hello');
  expect(Object.fromEntries(got.headers)).toMatchObject(said);
  const head = await ask('HEAD', '/%C3%A4/b');
  expect([head.status, head.bytes.length]).toEqual([200, 0]);
  expect(Object.fromEntries(head.headers)).toMatchObject({
    ...said,
    'X-Ufile-Create-Time': 'Sun, 09 Sep 2001 01:46:40 GMT',
  });
});

test('a file without a type gets application/octet-stream', async () => {
  const { ask } = await fileServer();
  await ask('PUT', '/a', { body: 'x', headers: [['Content-Type', '']] });
  expect((await ask('GET', '/a')).headers.get('Content-Type')).toBe('application/octet-stream');
});

test('DELETE is answered 204, and later requests for the file 404', async () => {
  const { ask } = await fileServer();
  await ask('PUT', '/a', { body: 'x' });
  const deleted = await ask('DELETE', '/a');
  expect([deleted.status, deleted.bytes.length]).toEqual([204, 0]);
  for (const method of ['GET', 'DELETE']) {
    const refused = await ask(method, '/a');
    expect([refused.status, refused.headers.get('Content-Type')]).toEqual([
      404,
      'application/json',
    ]);
    expect(refused.json()).toMatchObject({ RetCode: -148654, ErrMsg: 'file not exist' });
    expect(refused.headers.get('X-SessionId')).toMatch(/^[0-9a-f-]{36}$/);
  }
  expect((await ask('HEAD', '/a')).status).toBe(404);
});

const RANGES: readonly (readonly [
  range: string,
  status: number,
  said: string | undefined,
  text: string,
])[] = [
  ['bytes=0-', 206, 'bytes 0-9/10', '0123456789'],
  ['bytes=2-4', 206, 'bytes 2-4/10', '234'],
  ['bytes=8-99', 206, 'bytes 8-9/10', '89'],
  ['bytes=-3', 206, 'bytes 7-9/10', '789'],
  ['bytes=-99', 206, 'bytes 0-9/10', '0123456789'],
  ['bytes=0-1,4-5', 200, undefined, '0123456789'],
  ['bytes=5-2', 200, undefined, '0123456789'],
  ['lines=1-2', 200, undefined, '0123456789'],
];

test.each(RANGES)('Range %s of ten bytes is answered %i', async (range, status, said, text) => {
  const { ask } = await fileServer();
  await ask('PUT', '/a', { body: '0123456789' });
  const got = await ask('GET', '/a', { headers: [['Range', range]] });
  expect([got.status, got.headers.get('Content-Range'), got.bytes.toString()]).toEqual([
    status,
    said,
    text,
  ]);
});

test.each(['bytes=10-', 'bytes=-0'])('Range %s of ten bytes is answered 416', async (range) => {
  const { ask } = await fileServer();
  await ask('PUT', '/a', { body: '0123456789' });
  expect((await ask('GET', '/a', { headers: [['Range', range]] })).status).toBe(416);
});

test('an empty file is returned for bytes=0-, which the SDK for Java always sends', async () => {
  const { ask } = await fileServer();
  await ask('PUT', '/a');
  expect((await ask('GET', '/a', { headers: [['Range', 'bytes=0-']] })).status).toBe(200);
});

test('a range may begin and end in different parts of a file', async () => {
  const { ask, service } = await fileServer();
  const content = seededBytes(300);
  const contents: { id: string; size: number }[] = [];
  for (const start of [0, 100, 200]) {
    const { id, size } = await service.store.receive(pieces(content.subarray(start, start + 100)));
    contents.push({ id, size });
  }
  await ask('PUT', '/a', { body: content });
  await service.store.changeObject('box', 'a', (object) => ({ ...object, contents }));
  const got = await ask('GET', '/a', { headers: [['Range', 'bytes=50-249']] });
  expect(got.bytes.equals(content.subarray(50, 250))).toBe(true);
});

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

test('conditional headers decide between 200, 304 and 412', async () => {
  const { ask } = await fileServer({ now: () => 1_000_000_000 });
  const tag = (await ask('PUT', '/a', { body: 'x' })).headers.get('ETag') ?? '';
  const same = 'Sun, 09 Sep 2001 01:46:40 GMT';
  const before = 'Sun, 09 Sep 2001 01:46:39 GMT';
  const conditions = [
    [304, ['If-Modified-Since', same]],
    [200, ['If-Modified-Since', before]],
    [200, ['If-Modified-Since', 'yesterday']],
    [304, ['If-None-Match', tag]],
    [304, ['If-None-Match', `"z", W/${tag}`]],
    [200, ['If-None-Match', '"z"']],
    [200, ['If-Match', '*']],
    [412, ['If-Match', '"z"']],
    [200, ['If-Unmodified-Since', same]],
    [412, ['If-Unmodified-Since', before]],
  ] as const;
  for (const [status, header] of conditions) {
    for (const method of ['GET', 'HEAD']) {
      const got = await ask(method, '/a', { headers: [header] });
      expect([method, ...header, got.status]).toEqual([method, ...header, status]);
    }
  }
});

test('If-Range with the ETag of another file gets the whole file', async () => {
  const { ask } = await fileServer();
  const tag = (await ask('PUT', '/a', { body: 'xyz' })).headers.get('ETag') ?? '';
  const ranged = (known: string) =>
    ask('GET', '/a', {
      headers: { Range: 'bytes=1-1', 'If-Range': known },
    });
  expect((await ranged(tag)).bytes.toString()).toBe('y');
  expect((await ranged('"z"')).bytes.toString()).toBe('xyz');
});

test('ufileattname names the download, in both forms of RFC 6266', async () => {
  const { ask } = await fileServer();
  await ask('PUT', '/a', { body: 'x' });
  const target = `/a?ufileattname=${encodeURIComponent('a "ü"\r\nX: y.txt')}`;
  expect((await ask('GET', target)).headers.get('Content-Disposition')).toBe(
    `attachment; filename="a _____X: y.txt"; filename*=UTF-8''a%20%22%C3%BC%22%0D%0AX%3A%20y.txt`,
  );
});

test('unsigned requests may read the files of a public bucket, and nothing else', async () => {
  const { ask } = await fileServer();
  const open = { bucket: 'open', isUnsigned: true };
  await ask('PUT', '/a', { bucket: 'open', body: 'x' });
  expect((await ask('GET', '/a', open)).bytes.toString()).toBe('x');
  expect((await ask('HEAD', '/a', open)).status).toBe(200);
  for (const [method, target] of [
    ['PUT', '/a'],
    ['DELETE', '/a'],
    ['GET', '/?list'],
    ['GET', '/a?acl'],
    ['POST', '/a?uploads'],
  ] as const) {
    expect([method, target, (await ask(method, target, open)).status]).toEqual([
      method,
      target,
      403,
    ]);
  }
  expect((await ask('GET', '/a', { isUnsigned: true })).status).toBe(403);
});

test('a file that differs from its Content-MD5, in hexadecimal or Base64, is refused', async () => {
  const { ask, service } = await fileServer();
  const md5 = createHash('md5').update('hello').digest();
  const put = (value: string, body: string) =>
    ask('PUT', '/a', { body, headers: [['Content-MD5', value]] });
  for (const value of [md5.toString('hex'), md5.toString('base64'), '']) {
    expect([value, (await put(value, 'hello')).status]).toEqual([value, 200]);
  }
  const refused = await put(md5.toString('hex'), 'hullo');
  expect([refused.status, refused.json()['RetCode']]).toEqual([400, -149102]);
  expect((await put('nonsense', 'hello')).status).toBe(400);
  expect((await ask('GET', '/a')).bytes.toString()).toBe('hello');
  expect(await service.store.faults()).toEqual([]);
});

test('a refused put leaves nothing behind', async () => {
  const { ask, service } = await fileServer();
  const long = 'x'.repeat(1024);
  const refused = [
    ['/', []],
    [`/${long}`, []],
    ['/%FF', []],
    ['/a', [['X-Ufile-Storage-Class', 'COLD']]],
    ['/a', [['X-Ufile-Meta-a_b', 'x']]],
    ['/a', [['X-Ufile-Meta-a', long.repeat(9)]]],
  ] as const;
  for (const [target, headers] of refused) {
    const reply = await ask('PUT', target, {
      body: 'x',
      headers,
      key: target === '/%FF' ? 'x' : target.slice(1),
    });
    expect([target.slice(0, 10), headers[0]?.[0], reply.status]).toEqual([
      target.slice(0, 10),
      headers[0]?.[0],
      400,
    ]);
  }
  expect(await service.store.objects('box', { prefix: '', after: '', limit: 9 })).toEqual([]);
  expect(await service.store.faults()).toEqual([]);
});

test('a key may have 1023 bytes and any characters', async () => {
  const { ask } = await fileServer();
  for (const key of ['x'.repeat(1023), '../../etc/passwd', 'a//b/', '?&#%', '\0', '𐀀', ' +']) {
    const target = `/${encodeURIComponent(key)}`;
    expect((await ask('PUT', target, { body: key })).status).toBe(200);
    expect((await ask('GET', target)).bytes.toString()).toBe(key);
  }
});

test('an unknown operation gets 501 with its name', async () => {
  const { ask } = await fileServer();
  const reply = await ask('POST', '/a?unheard-of=1&x');
  expect([reply.status, reply.json()['ErrMsg']]).toEqual([
    501,
    'not implemented: POST /a?unheard-of',
  ]);
  expect((await ask('PATCH', '/a')).status).toBe(501);
});
