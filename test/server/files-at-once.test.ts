/** Simultaneous requests for one key. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { authorization, SPECIFICATION } from '../../reference/signing/index.ts';
import { seededBytes } from '../seed.ts';
import { type FileServer, fileServer, KEYS } from './file-server.ts';

const SIZE = 3_000_000;

test('of simultaneous puts only one is stored, and completely', async () => {
  const { ask, service } = await fileServer();
  const contents = Array.from({ length: 8 }, (_, i) => seededBytes(SIZE, `${i}`));
  const puts = await Promise.all(contents.map((body) => ask('PUT', '/a', { body })));
  expect(puts.map(({ status }) => status)).toEqual(contents.map(() => 200));
  const got = await ask('GET', '/a');
  expect(contents.some((content) => content.equals(got.bytes))).toBe(true);
  expect(await service.store.faults()).toEqual([]);
});

test('a file that is overwritten and deleted while it is read is sent completely', async () => {
  const { ask, port, service } = await fileServer();
  const content = seededBytes(20_000_000);
  await ask('PUT', '/a', { body: content });
  // The client reads nothing until the file is deleted, and the file is larger than socket buffers.
  const socket = connect(port, '127.0.0.1').pause();
  socket.write(head('GET', []));
  await once(socket, 'readable');
  await ask('PUT', '/a', { body: 'other' });
  await ask('DELETE', '/a');
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece);
  const received = Buffer.concat(pieces);
  expect(received.subarray(received.indexOf('\r\n\r\n') + 4).equals(content)).toBe(true);
  expect(await service.store.faults()).toEqual([]);
});

test('every read of a file that is overwritten repeatedly gets one content', async () => {
  const { ask } = await fileServer();
  const contents = Array.from({ length: 20 }, (_, i) => Buffer.alloc(200_000, i));
  await ask('PUT', '/a', { body: contents[0] ?? '' });
  let isOver = false;
  const reads: Promise<void>[] = [0, 1].map(async () => {
    while (!isOver) {
      const { status, bytes } = await ask('GET', '/a');
      expect([status, bytes.length, new Set(bytes).size]).toEqual([200, 200_000, 1]);
    }
  });
  for (const body of contents) await ask('PUT', '/a', { body });
  isOver = true;
  await Promise.all(reads);
});

test.each(['PUT', 'PUT part'])('an interrupted %s changes nothing', async (kind) => {
  const server = await fileServer();
  await server.ask('PUT', '/a', { body: 'before' });
  const id = (await server.ask('POST', '/a?uploads')).json()['UploadId'];
  const query = kind === 'PUT' ? '' : `?uploadId=${id}&partNumber=0`;
  await brokenOff(server, query);
  expect((await server.ask('GET', '/a')).bytes.toString()).toBe('before');
  expect(await server.service.store.parts(id ?? '')).toEqual([]);
  expect(await server.service.store.faults()).toEqual([]);
});

test.each([0, 3])('of two appends at position %i, the later one is refused', async (position) => {
  const { ask, port, service } = await fileServer();
  if (position > 0) await ask('PUT', '/a', { body: 'old' });
  const query = `?append&position=${position}`;
  // The server has asked for the body, which is sent later.
  const socket = connect(port, '127.0.0.1');
  socket.write(head('PUT', ['Content-Length: 4', 'Expect: 100-continue'], query));
  await once(socket, 'readable');
  expect((await ask('PUT', `/a${query}`, { body: 'new' })).status).toBe(200);
  socket.end('late');
  let answer = '';
  for await (const piece of socket) answer += piece;
  expect(answer).toMatch(/^HTTP\/1.1 100 .*HTTP\/1.1 409 /s);
  const got = await ask('GET', '/a');
  expect(got.bytes.toString()).toBe(position > 0 ? 'oldnew' : 'new');
  expect(await service.store.faults()).toEqual([]);
});

function head(method: string, more: readonly string[], query = ''): string {
  const request = { method, bucket: 'box', key: 'a', headers: [] };
  const signed = authorization(request, KEYS, SPECIFICATION).authorization;
  const lines = ['Host: box.files.svc.example', 'Connection: close', `Authorization: ${signed}`];
  return [`${method} /a${query} HTTP/1.1`, ...lines, ...more, '', ''].join('\r\n');
}

async function brokenOff({ port }: FileServer, query: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.end(`${head('PUT', ['Content-Length: 1000'], query)}only so much`);
  let answer = '';
  for await (const piece of socket) answer += piece;
  expect(answer).toMatch(/^HTTP\/1.1 400 .*breaks off/s);
}
