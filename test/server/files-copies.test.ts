/** Files that are created from other files: copies and instant uploads. */
import { expect, test } from 'vitest';
import { etag, SPECIFICATION } from '../../reference/signing/index.ts';
import { seededBytes } from '../seed.ts';
import { fileServer } from './file-server.ts';

const PARTICULARS = [
  ['Content-Type', 'text/plain'],
  ['X-Ufile-Meta-Color', 'red'],
] as const;

test.each([
  ['unescaped, as in the SDK for Go', '/box/ä b/c'],
  ['escaped except for slashes, as in the SDK for Python', '/box/%C3%A4%20b/c'],
  ['escaped, as in the SDK for Java', '/box/%C3%A4%20b%2Fc'],
])('a copy source may be %s', async (_, source) => {
  const { ask } = await fileServer();
  const content = seededBytes(5_000_000);
  await ask('PUT', `/${encodeURIComponent('ä b/c')}`, { body: content, headers: PARTICULARS });
  const headers = [['X-Ufile-Copy-Source', source]] as const;
  const copied = await ask('PUT', '/copy', { headers, body: '{}' });
  expect([copied.status, copied.headers.get('ETag')]).toEqual([
    200,
    `"${etag(content, SPECIFICATION).etag}"`,
  ]);
  // The copy does not depend on its source.
  await ask('DELETE', `/${encodeURIComponent('ä b/c')}`);
  const got = await ask('GET', '/copy');
  expect(got.bytes.equals(content)).toBe(true);
  expect([got.headers.get('Content-Type'), got.headers.get('X-Ufile-Meta-Color')]).toEqual([
    'text/plain',
    'red',
  ]);
});

test('a copy source is taken literally if no file has the decoded key', async () => {
  const { ask } = await fileServer();
  await ask('PUT', '/100%2525', { body: 'x' });
  const headers = [['X-Ufile-Copy-Source', '/box/100%25']] as const;
  expect((await ask('PUT', '/copy', { headers })).status).toBe(200);
});

test('a copy may replace type and metadata, in another bucket or in place', async () => {
  const { ask } = await fileServer();
  await ask('PUT', '/a', { body: 'x', headers: PARTICULARS });
  const headers = {
    'X-Ufile-Copy-Source': '/box/a',
    'X-Ufile-Metadata-Directive': 'REPLACE',
    'X-Ufile-Storage-Class': 'IA',
    'Content-Type': 'text/html',
    'X-Ufile-Meta-Size': 'large',
  };
  for (const [bucket, key] of [
    ['open', 'b'],
    ['box', 'a'],
  ]) {
    const where = { bucket: bucket ?? '' };
    expect((await ask('PUT', `/${key}`, { ...where, headers })).status).toBe(200);
    const got = await ask('GET', `/${key}`, where);
    expect(got.bytes.toString()).toBe('x');
    const said = [
      'Content-Type',
      'X-Ufile-Storage-Class',
      'X-Ufile-Meta-Color',
      'X-Ufile-Meta-Size',
    ];
    expect(said.map((name) => got.headers.get(name))).toEqual([
      'text/html',
      'IA',
      undefined,
      'large',
    ]);
  }
});

test('a missing source, missing bucket and malformed source have different errors', async () => {
  const { ask, service } = await fileServer();
  const copied = async (source: string) => {
    const reply = await ask('PUT', '/copy', { headers: [['X-Ufile-Copy-Source', source]] });
    return [reply.status, reply.json()['RetCode']];
  };
  expect(await copied('/box/none')).toEqual([404, -148654]);
  expect(await copied('/none/a')).toEqual([404, -30010]);
  expect(await copied('nonsense')).toEqual([400, -149101]);
  expect(await service.store.faults()).toEqual([]);
});

test('an instant upload gets the bytes of any file with this ETag and size', async () => {
  const { ask } = await fileServer();
  const content = seededBytes(100);
  const { etag: hash } = etag(content, SPECIFICATION);
  const hit = (query: string, key = 'ä b') =>
    ask('POST', `/uploadhit?Hash=${hash}&${query}`, { key, body: seededBytes(70_000) });
  expect((await hit('FileName=%C3%A4%20b&FileSize=100')).status).toBe(404);
  await ask('PUT', '/source', { bucket: 'open', body: content, headers: PARTICULARS });
  const done = await hit('FileName=%C3%A4%20b&FileSize=100');
  expect([done.status, done.bytes.length]).toEqual([200, 0]);
  const got = await ask('GET', '/%C3%A4%20b');
  expect([got.bytes.equals(content), got.headers.get('Content-Type')]).toEqual([
    true,
    'text/plain',
  ]);
  expect((await hit('ObjectName=c&FileSize=100', 'c')).status).toBe(200);
  expect((await hit('FileName=c&FileSize=99', 'c')).status).toBe(404);
  expect((await hit('FileName=c', 'c')).status).toBe(400);
  expect((await hit('FileSize=100', '')).status).toBe(400);
});
