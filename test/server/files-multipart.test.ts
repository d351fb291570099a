/** Multipart uploads, as published clients make them. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { etag, SPECIFICATION } from '../../reference/signing/index.ts';
import { seededBytes } from '../seed.ts';
import { type FileServer, fileServer, type Reply } from './file-server.ts';

const BLOCK = 4 * 1024 * 1024;

const unquoted = (reply: Reply): string => (reply.headers.get('ETag') ?? '').slice(1, -1);

async function beginUpload({ ask }: FileServer, more = {}): Promise<string> {
  const reply = await ask('POST', '/a?uploads', more);
  const { UploadId: id, BlkSize: size, Bucket: bucket, Key: key } = reply.json();
  expect([reply.status, size, bucket, key]).toEqual([200, BLOCK, 'box', 'a']);
  return id ?? '';
}

async function sendPart({ ask }: FileServer, id: string, number: number, body: Uint8Array) {
  const reply = await ask('PUT', `/a?partNumber=${number}&uploadId=${id}`, { body });
  expect([reply.status, reply.json()]).toEqual([200, { PartNumber: number }]);
  return unquoted(reply);
}

function finish({ ask }: FileServer, id: string, list: string, more = ''): Promise<Reply> {
  return ask('POST', `/a?uploadId=${id}${more}`, { body: list });
}

const SIZES = [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 1];

test.each(SIZES)('%i bytes uploaded in parts have the ETag of a single put', async (size) => {
  const server = await fileServer();
  const content = seededBytes(size);
  const id = await beginUpload(server);
  const etags: string[] = [];
  // From the last part to the first, because parts may come in any order.
  for (let number = Math.ceil(size / BLOCK) - 1; number >= 0; number -= 1) {
    etags.push(
      await sendPart(server, id, number, content.subarray(number * BLOCK, (number + 1) * BLOCK)),
    );
  }
  const finished = await finish(server, id, etags.join(','));
  expect(finished.json()).toEqual({ Bucket: 'box', Key: 'a', FileSize: size });
  expect(unquoted(finished)).toBe(etag(content, SPECIFICATION).etag);
  const got = await server.ask('GET', '/a');
  expect([got.bytes.equals(content), unquoted(got)]).toEqual([true, unquoted(finished)]);
  expect(await server.service.store.faults()).toEqual([]);
});

test('the ETag of a part is only its SHA-1, as the documentation of ListParts shows', async () => {
  const server = await fileServer();
  const id = await beginUpload(server);
  expect(await sendPart(server, id, 0, Buffer.alloc(BLOCK))).toBe('K8y9LzjxXBPrfVqJ_Z2F9ZXiO8M=');
});

test('the list of ETags may have quotes, a final comma, ETags of files and repeats', async () => {
  const server = await fileServer();
  const zeros = Buffer.alloc(BLOCK);
  const last = Buffer.from('end');
  for (const write of [
    (etags: readonly string[]) => etags.map((one) => `"${one}"`).join(','),
    (etags: readonly string[]) => `${etags.join(',')},`,
    () => [last, zeros, zeros].map((one) => etag(one, SPECIFICATION).etag).join(', '),
  ]) {
    const id = await beginUpload(server);
    const etags = [await sendPart(server, id, 0, zeros), await sendPart(server, id, 1, zeros)];
    etags.push(await sendPart(server, id, 2, last));
    const finished = await finish(server, id, write(etags));
    expect(unquoted(finished)).toBe(etag(Buffer.concat([zeros, zeros, last]), SPECIFICATION).etag);
  }
});

test('a list that does not match the parts is refused without ending the upload', async () => {
  const server = await fileServer();
  const id = await beginUpload(server);
  const one = await sendPart(server, id, 0, Buffer.from('one'));
  for (const list of ['', 'nonsense', `${one},${one}`, `${one},nonsense`]) {
    const refused = await finish(server, id, list);
    expect([list, refused.status, refused.json()['RetCode']]).toEqual([list, 400, -149104]);
  }
  expect((await finish(server, id, one)).status).toBe(200);
});

test('an upload with a part of the wrong size is not finished', async () => {
  const server = await fileServer();
  for (const sizes of [
    [BLOCK - 1, 1],
    [BLOCK + 1, 1],
    [BLOCK, BLOCK + 1],
  ]) {
    const id = await beginUpload(server);
    const etags = [];
    for (const [number, size] of sizes.entries()) {
      etags.push(await sendPart(server, id, number, Buffer.alloc(size, number)));
    }
    expect([sizes, (await finish(server, id, etags.join())).status]).toEqual([sizes, 400]);
  }
  expect((await server.ask('HEAD', '/a')).status).toBe(404);
});

test('a part that is sent again replaces the earlier one', async () => {
  const server = await fileServer();
  const id = await beginUpload(server);
  const stale = await sendPart(server, id, 0, Buffer.from('stale'));
  const fresh = await sendPart(server, id, 0, Buffer.from('fresh'));
  expect((await finish(server, id, stale)).status).toBe(400);
  expect((await finish(server, id, fresh)).status).toBe(200);
  expect((await server.ask('GET', '/a')).bytes.toString()).toBe('fresh');
  expect(await server.service.store.faults()).toEqual([]);
});

test('an aborted upload leaves nothing behind and is not found any more', async () => {
  const server = await fileServer();
  const id = await beginUpload(server);
  const part = await sendPart(server, id, 0, Buffer.from('x'));
  expect((await server.ask('DELETE', `/a?uploadId=${id}`)).status).toBe(200);
  const after = [
    await server.ask('DELETE', `/a?uploadId=${id}`),
    await server.ask('PUT', `/a?uploadId=${id}&partNumber=0`, { body: 'x' }),
    await finish(server, id, part),
    await server.ask('GET', `/?muploadpart&uploadId=${id}`),
  ];
  expect(after.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect(await server.service.store.faults()).toEqual([]);
});

test('a part needs the upload id of its key and bucket, and a valid number', async () => {
  const server = await fileServer();
  const id = await beginUpload(server);
  const refused = [
    await server.ask('PUT', `/b?uploadId=${id}&partNumber=0`, { body: 'x' }),
    await server.ask('PUT', `/a?uploadId=${id}&partNumber=0`, { body: 'x', bucket: 'open' }),
    await server.ask('PUT', '/a?uploadId=../../x&partNumber=0', { body: 'x' }),
    await server.ask('PUT', `/a?uploadId=${id}&partNumber=-1`, { body: 'x' }),
    await server.ask('PUT', `/a?uploadId=${id}`, { body: 'x' }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 400, 400]);
});

test('Content-MD5 of a part is verified', async () => {
  const server = await fileServer();
  const id = await beginUpload(server);
  const md5 = createHash('md5').update('x').digest('hex');
  const put = (body: string) =>
    server.ask('PUT', `/a?uploadId=${id}&partNumber=0`, { body, headers: [['Content-MD5', md5]] });
  expect([(await put('x')).status, (await put('y')).status]).toEqual([200, 400]);
  expect(await server.service.store.faults()).toEqual([]);
});

test('a multipart upload has the first type that its requests name', async () => {
  const server = await fileServer();
  const typeHeaders = (type?: string) => (type ? [['Content-Type', type] as const] : []);
  for (const [first, part, last, found] of [
    ['a/a', 'b/b', 'c/c', 'a/a'],
    [undefined, 'b/b', 'c/c', 'b/b'],
    [undefined, undefined, 'c/c', 'c/c'],
    [undefined, undefined, undefined, 'application/octet-stream'],
  ]) {
    const headers = [
      ...typeHeaders(first),
      ['X-Ufile-Storage-Class', 'IA'],
      ['X-Ufile-Meta-Color', 'red'],
    ] as const;
    const id = await beginUpload(server, { headers, body: '{}' });
    const sentPart = { body: 'x', headers: typeHeaders(part) };
    const tag = unquoted(await server.ask('PUT', `/a?uploadId=${id}&partNumber=0`, sentPart));
    await server.ask('POST', `/a?uploadId=${id}&newKey=`, {
      body: tag,
      headers: typeHeaders(last),
    });
    const { headers: stored } = await server.ask('HEAD', '/a');
    expect([
      stored.get('Content-Type'),
      stored.get('X-Ufile-Storage-Class'),
      stored.get('X-Ufile-Meta-Color'),
    ]).toEqual([found, 'IA', 'red']);
  }
});

test('finishing an upload may replace the metadata', async () => {
  const server = await fileServer();
  const id = await beginUpload(server, { headers: [['X-Ufile-Meta-Color', 'red']] });
  const headers = { 'X-Ufile-Metadata-Directive': 'REPLACE', 'X-Ufile-Meta-Size': 'large' };
  await server.ask('POST', `/a?uploadId=${id}`, { headers });
  const { headers: stored } = await server.ask('HEAD', '/a');
  expect([stored.get('X-Ufile-Meta-Color'), stored.get('X-Ufile-Meta-Size')]).toEqual([
    undefined,
    'large',
  ]);
});

test('newKey is used only if the key already exists', async () => {
  const server = await fileServer();
  const finishWithNewKey = async (): Promise<unknown> => {
    const id = await beginUpload(server);
    return (await finish(server, id, '', '&newKey=b')).json()['Key'];
  };
  expect([await finishWithNewKey(), await finishWithNewKey()]).toEqual(['a', 'b']);
});

test('the parts of an upload are listed by number, in pages', async () => {
  const server = await fileServer({ now: () => 77 });
  const id = await beginUpload(server);
  for (const number of [10, 0, 2]) await sendPart(server, id, number, Buffer.from(`${number}`));
  const list = async (more: string) =>
    (await server.ask('GET', `/?muploadpart&uploadId=${id}${more}`)).json();
  const tag = createHash('sha1')
    .update('0')
    .digest('base64')
    .replaceAll('+', '-')
    .replaceAll('/', '_');
  expect(await list('&max-parts=1')).toEqual({
    UploadId: id,
    Bucket: 'box',
    Key: 'a',
    MaxParts: 1,
    IsTruncated: true,
    NextPartNumberMarker: 0,
    Parts: [{ PartNum: 0, Etag: tag, LastModified: 77, Size: 1 }],
  });
  const rest = await list('&part-number-marker=0');
  expect(rest).toMatchObject({ IsTruncated: false, Parts: [{ PartNum: 2 }, { PartNum: 10 }] });
});

test('unfinished uploads are listed by key, in pages that end after the last upload of a key', async () => {
  const server = await fileServer({ now: () => 77 });
  const ids: string[] = [];
  for (const key of ['b', 'a', 'a', 'a', 'a', 'z']) {
    const { UploadId: id = '' } = (await server.ask('POST', `/${key}?uploads`)).json();
    if (key === 'a') ids.push(id);
  }
  ids.sort();
  const list = async (more: string) => (await server.ask('GET', `/?&muploadid=${more}`)).json();
  const own = { FileName: 'a', StartTime: 77, StorageClass: 'STANDARD' };
  expect(await list('&limit=1')).toEqual({
    RetCode: 0,
    ErrMsg: '',
    NextMarker: 'a',
    DataSet: ids.map((id) => ({ UploadId: id, ...own })),
  });
  expect(await list('&limit=1&marker=a')).toMatchObject({
    NextMarker: 'b',
    DataSet: [{ FileName: 'b' }],
  });
  expect(await list(`&limit=2&marker=a&upload-id-marker=${ids[2]}`)).toMatchObject({
    NextMarker: 'b',
    DataSet: [{ UploadId: ids[3] }, { FileName: 'b' }],
  });
  expect(await list('&limit=0')).toMatchObject({ NextMarker: '', DataSet: [] });
  expect(await list('&prefix=z')).toMatchObject({ NextMarker: '', DataSet: [{ FileName: 'z' }] });
});

test('a part may be copied from a range of a file', async () => {
  const server = await fileServer();
  const content = seededBytes(BLOCK + 10);
  await server.ask('PUT', '/source', { body: content });
  const id = await beginUpload(server);
  const copyPart = (number: number, range?: string) =>
    server.ask('PUT', `/a?uploadId=${id}&partNumber=${number}`, {
      body: '{}',
      headers: [
        ['X-Ufile-Copy-Source', '/box/source'],
        ...(range ? [['X-Ufile-Copy-Source-Range', range] as const] : []),
      ],
    });
  const one = await copyPart(0, `bytes=10-${BLOCK + 9}`);
  expect([one.status, one.headers.get('Content-Range'), one.json()]).toEqual([
    200,
    `bytes 10-${BLOCK + 9}/${BLOCK + 10}`,
    { PartNumber: 0 },
  ]);
  const two = await copyPart(1, 'bytes=0-9');
  const finished = await finish(server, id, `${unquoted(one)},${unquoted(two)}`);
  expect(finished.status).toBe(200);
  const whole = Buffer.concat([content.subarray(10), content.subarray(0, 10)]);
  expect((await server.ask('GET', '/a')).bytes.equals(whole)).toBe(true);
});

test('a copy range that is invalid or outside the file gets status 419', async () => {
  const server = await fileServer();
  await server.ask('PUT', '/source', { body: '0123456789' });
  const id = await beginUpload(server);
  for (const range of ['bytes=5-4', 'bytes=0-10', 'bytes=0-', 'x']) {
    const headers = { 'X-Ufile-Copy-Source': '/box/source', 'X-Ufile-Copy-Source-Range': range };
    const reply = await server.ask('PUT', `/a?uploadId=${id}&partNumber=0`, { headers });
    expect([range, reply.status]).toEqual([range, 419]);
  }
  expect(await server.service.store.parts(id)).toEqual([]);
});
