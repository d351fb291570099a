/** Changes of a file without its bytes, and requests of browsers. */
import { expect, test } from 'vitest';
import { etag, SPECIFICATION } from '../../reference/signing/index.ts';
import { fileServer, KEYS } from './file-server.ts';

const DAY = 24 * 60 * 60;

test('OpMeta changes the media type, and refuses a type that no header can carry', async () => {
  const { ask } = await fileServer();
  await ask('PUT', '/a', { body: 'x' });
  const set = (members: object) =>
    ask('POST', '/a?opmeta', {
      body: JSON.stringify(members),
      headers: [['Content-Type', 'application/json']],
    });
  expect((await set({ op: 'set', metak: 'mimetype', metav: 'text/html' })).status).toBe(200);
  expect((await ask('GET', '/a')).headers.get('Content-Type')).toBe('text/html');
  for (const members of [
    { op: 'set', metak: 'mimetype', metav: 'x\r\nX-Evil: 1' },
    { op: 'set', metak: 'mimetype', metav: '' },
    { op: 'del', metak: 'mimetype', metav: 'x/y' },
    { op: 'set', metak: 'size', metav: 'x/y' },
    [],
  ]) {
    expect([members, (await set(members)).status]).toEqual([members, 400]);
  }
  expect((await set([])).json()['ErrMsg']).toContain('the body "[]" is not a JSON object');
  expect(
    (await ask('POST', '/none?opmeta', { body: '{"op":"set","metak":"mimetype","metav":"x"}' }))
      .status,
  ).toBe(404);
});

test('storage classes only get colder; a restored archive can be read for three days', async () => {
  let now = 1_000_000_000;
  const { ask } = await fileServer({ now: () => now });
  await ask('PUT', '/a', { body: 'x' });
  const switched = async (to: string) =>
    (await ask('PUT', `/a?storageClass=${to}`, { body: '{}' })).status;
  const classes = ['STANDARD', 'IA', 'STANDARD', 'IA', 'ARCHIVE', 'IA', 'COLD'];
  const statuses: number[] = [];
  for (const to of classes) statuses.push(await switched(to));
  expect(statuses).toEqual([403, 200, 403, 403, 200, 403, 400]);

  const frozen = await ask('GET', '/a');
  expect([frozen.status, frozen.json()['RetCode']]).toEqual([403, -148671]);
  const copied = await ask('PUT', '/b', { headers: [['X-Ufile-Copy-Source', '/box/a']] });
  expect(copied.status).toBe(403);
  expect((await ask('HEAD', '/a')).headers.get('X-Ufile-Restore')).toBe(undefined);

  const headers = { 'Content-Type': '', Tier: 'Expedited' };
  expect((await ask('PUT', '/a?restore', { body: '{}', headers })).status).toBe(200);
  expect((await ask('GET', '/a')).bytes.toString()).toBe('x');
  expect((await ask('HEAD', '/a')).headers.get('X-Ufile-Restore')).toBe(
    'ongoing-request="false", expiry-date="Wed, 12 Sep 2001 01:46:40 GMT"',
  );
  expect((await ask('GET', '/?list')).json()['DataSet']?.[0]).toMatchObject({
    RestoreStatus: 'Restored',
  });
  now += 3 * DAY;
  expect((await ask('GET', '/a')).status).toBe(403);
});

test('only an archive can be restored', async () => {
  const { ask } = await fileServer();
  await ask('PUT', '/a', { body: 'x' });
  expect((await ask('PUT', '/a?restore')).status).toBe(403);
  expect((await ask('PUT', '/a?restore', { headers: [['Tier', 'Fast']] })).status).toBe(400);
});

test('renaming a file replaces another file only if forced', async () => {
  const { ask } = await fileServer();
  await ask('PUT', '/a', { body: 'a' });
  await ask('PUT', '/b', { body: 'b' });
  const renamed = async (query: string) => (await ask('PUT', `/a?newFileName=b${query}`)).status;
  expect([await renamed(''), await renamed('&force=false')]).toEqual([409, 409]);
  expect(await renamed('&force=true')).toBe(200);
  expect((await ask('GET', '/b')).bytes.toString()).toBe('a');
  expect([(await ask('GET', '/a')).status, await renamed('')]).toEqual([404, 404]);
});

test('Append needs the end of the file as its position and updates the ETag', async () => {
  const { ask, service } = await fileServer();
  const append = (position: number | string, body: Uint8Array | string, headers = [] as const) =>
    ask('PUT', `/a?append&position=${position}`, { body, headers });
  const first = Buffer.alloc(4 * 1024 * 1024 - 1, 1);
  const second = Buffer.alloc(10, 2);
  await append(0, first);
  const reply = await append(first.length, second);
  const whole = Buffer.concat([first, second]);
  expect(reply.headers.get('ETag')).toBe(`"${etag(whole, SPECIFICATION).etag}"`);
  expect((await ask('GET', '/a')).bytes.equals(whole)).toBe(true);
  expect([(await append(1, 'x')).status, (await append('x', 'x')).status]).toEqual([409, 400]);
  const headers = [['Content-MD5', '0'.repeat(32)]] as const;
  const position = whole.length;
  const refused = await ask('PUT', `/a?append&position=${position}`, { body: 'x', headers });
  expect(refused.status).toBe(400);
  expect((await ask('GET', '/a')).bytes.length).toBe(whole.length);
  expect(await service.store.faults()).toEqual([]);
});

test('a file has at most ten tags, and DELETE removes them', async () => {
  const { ask } = await fileServer();
  await ask('PUT', '/a', { body: 'x' });
  const put = async (tags: unknown) =>
    (await ask('PUT', '/a?tagging', { body: JSON.stringify({ Tags: tags }) })).status;
  const tags = [
    { Key: 'b', Value: '1' },
    { Key: 'a', Value: '' },
  ];
  expect(await put(tags)).toBe(200);
  expect((await ask('GET', '/a?tagging')).json()).toEqual({ Tags: tags });
  const many = Array.from({ length: 11 }, (_, i) => ({ Key: `${i}`, Value: '' }));
  for (const wrong of [
    many,
    'x',
    [{ Key: 'a' }],
    [null],
    [...tags, ...tags],
    [{ Key: '', Value: '' }],
  ]) {
    expect([wrong, await put(wrong)]).toEqual([wrong, 400]);
  }
  expect((await ask('DELETE', '/a?tagging')).status).toBe(204);
  expect((await ask('GET', '/a?tagging')).json()).toEqual({ Tags: [] });
  expect((await ask('GET', '/a')).status).toBe(200);
});

test('a file in a private bucket may be public', async () => {
  const { ask } = await fileServer();
  await ask('PUT', '/a', { body: 'x' });
  const acl = (value: string) => ask('PUT', '/a?acl', { headers: [['x-ufile-object-acl', value]] });
  expect((await ask('GET', '/a', { isUnsigned: true })).status).toBe(403);
  expect((await acl('public-read')).status).toBe(200);
  expect((await ask('GET', '/a', { isUnsigned: true })).bytes.toString()).toBe('x');
  expect((await ask('GET', '/a?acl')).json()).toEqual({
    Owner: { ID: 'pub-example', DisplayName: 'pub-example' },
    AccessControlList: { Grant: 'public-read' },
  });
  expect([(await acl('default')).status, (await acl('public-write')).status]).toEqual([200, 400]);
  expect((await ask('GET', '/a', { isUnsigned: true })).status).toBe(403);
});

test('GetObjectAcl names the owner of the bucket, or the first account if the bucket has none', async () => {
  const first = { publicKey: 'pub-first', privateKey: 'priv-first', isDevelopment: true };
  const { ask, service } = await fileServer({
    accounts: [first, { ...KEYS, isDevelopment: true }],
  });
  const box = await service.store.bucket('box');
  if (!box) throw new Error('the server has no bucket box');
  await service.store.createBucket({ ...box, name: 'mine', owner: KEYS.publicKey });
  const ownerOf = async (bucket: string) => {
    await ask('PUT', '/a', { bucket, body: 'x' });
    return (await ask('GET', '/a?acl', { bucket })).json()['Owner'];
  };
  expect(await ownerOf('mine')).toEqual({ ID: KEYS.publicKey, DisplayName: KEYS.publicKey });
  expect(await ownerOf('box')).toEqual({ ID: 'pub-first', DisplayName: 'pub-first' });
});

test('a preflight request needs no signature, and answers expose the ETag', async () => {
  const { ask } = await fileServer();
  const origin = ['Origin', 'http://page.example'] as const;
  const asked = await ask('OPTIONS', '/a?uploadId=x', {
    isUnsigned: true,
    headers: [
      origin,
      ['Access-Control-Request-Method', 'PUT'],
      ['Access-Control-Request-Headers', 'authorization, content-type'],
    ],
  });
  expect([asked.status, asked.headers.get('Access-Control-Allow-Origin')]).toEqual([204, '*']);
  expect(asked.headers.get('Access-Control-Allow-Methods')).toContain('PUT');
  expect(asked.headers.get('Access-Control-Allow-Headers')).toBe('authorization, content-type');
  const replies = [
    await ask('PUT', '/a', { body: 'x', headers: [origin] }),
    await ask('GET', '/none', { headers: [origin] }),
  ];
  for (const { headers } of replies) {
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(headers.get('Access-Control-Expose-Headers')).toContain('ETag');
  }
  expect((await ask('GET', '/a')).headers.has('Access-Control-Allow-Origin')).toBe(false);
});

test('an append with invalid metadata leaves no bytes behind', async () => {
  const { ask, service } = await fileServer();
  const headers = [['X-Ufile-Meta-a_b', 'x']] as const;
  const reply = await ask('PUT', '/a?append&position=0', { body: 'x', headers });
  expect(reply.status).toBe(400);
  expect(await service.store.faults()).toEqual([]);
});
