import { createHash } from 'node:crypto';
import { request } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { echoServer } from './echo-server.ts';
import { RawClient, rawAnswers, rawExchange } from './raw-client.ts';

const CLOSE = 'Host: x\r\nConnection: close\r\n';

test('a request reaches the service unchanged, and header names keep their case', async () => {
  const { port, exchanges } = await echoServer();
  const [answer] = rawAnswers(
    await rawExchange(port, `GET /k%2f?a&b=%20 HTTP/1.1\r\nX-A:  1 \r\nx-a: é\r\n${CLOSE}\r\n`),
  );
  expect(answer?.status).toBe(200);
  expect([...(answer?.headers.keys() ?? [])]).toEqual([
    'Content-Type',
    'Content-Length',
    'Connection',
    'Date',
  ]);
  expect(answer?.headers.get('Content-Type')).toBe('application/json');
  expect(JSON.parse(Buffer.from(answer?.body ?? '', 'latin1').toString())).toEqual({
    method: 'GET',
    target: '/k%2f?a&b=%20',
    host: 'x',
    path: '/k%2f',
    query: 'a&b=%20',
    headers: [
      ['X-A', '1'],
      ['x-a', 'é'],
      ['Host', 'x'],
      ['Connection', 'close'],
    ],
  });
  expect(exchanges).toMatchObject([{ method: 'GET', host: 'x', status: 200, code: 0 }]);
});

test.each([
  ['http://B.files.example:80/k?q#', 'b.files.example:80', '/k', 'q#'],
  ['http://b.example', 'b.example', '/', ''],
  ['http://b.example?list', 'b.example', '/', 'list'],
  ['*', 'x', '/', ''],
])('the target %s is split into host, path and query', async (target, host, path, query) => {
  const { port } = await echoServer();
  const [answer] = rawAnswers(await rawExchange(port, `GET ${target} HTTP/1.1\r\n${CLOSE}\r\n`));
  expect(JSON.parse(answer?.body ?? '')).toMatchObject({ target, host, path, query });
});

test('a non-ASCII key that is not escaped reaches the service escaped', async () => {
  const { port } = await echoServer();
  const [answer] = rawAnswers(await rawExchange(port, `PUT /ké漢 HTTP/1.1\r\n${CLOSE}\r\n`));
  expect(JSON.parse(answer?.body ?? '').path).toBe('/k%C3%A9%E6%BC%A2');
});

test('a chunked body and one with a length are read completely', async () => {
  const { port } = await echoServer();
  const chunked = `PUT /hash HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`;
  const plain = `PUT /hash HTTP/1.1\r\nContent-Length: 5\r\n${CLOSE}\r\nabcde`;
  const answers = rawAnswers(await rawExchange(port, chunked + plain));
  expect(answers.map(({ body }) => JSON.parse(body))).toEqual([
    { size: 5, sha1: '03de6c570bfe24bfc328ccd7ca46b76eadaf4334' },
    { size: 5, sha1: '03de6c570bfe24bfc328ccd7ca46b76eadaf4334' },
  ]);
});

test('a request in two packets gets the same answer as in one, wherever it is cut', async () => {
  const { port } = await echoServer();
  const body = fc.uint8Array({ maxLength: 3000 });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  await fc.assert(
    fc.asyncProperty(body, share, async (bytes, part) => {
      const head = `PUT /hash HTTP/1.1\r\nContent-Length: ${bytes.length}\r\n${CLOSE}\r\n`;
      const packet = Buffer.concat([Buffer.from(head), bytes]);
      const cut = Math.floor(part * packet.length);
      const client = new RawClient(port).send(packet.subarray(0, cut));
      await new Promise((resolve) => setTimeout(resolve, 2));
      client.send(packet.subarray(cut));
      await client.closed;
      const sha1 = createHash('sha1').update(bytes).digest('hex');
      for (const received of [client.received, await rawExchange(port, packet)]) {
        const [answer] = rawAnswers(received);
        expect(JSON.parse(answer?.body ?? '')).toEqual({ size: bytes.length, sha1 });
      }
    }),
    { numRuns: 60 },
  );
});

test('pipelined requests are answered in order', async () => {
  const { port, exchanges } = await echoServer();
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const received = await rawExchange(
    port,
    `${get('/wait/200')}${get('/wait/0')}GET /wait/1 HTTP/1.1\r\n${CLOSE}\r\n`,
  );
  expect(rawAnswers(received).map(({ body }) => JSON.parse(body).waited)).toEqual([
    '200',
    '0',
    '1',
  ]);
  expect(exchanges.map(({ target }) => target)).toEqual(['/wait/200', '/wait/0', '/wait/1']);
});

test('all pipelined requests are answered, even if they exceed the limit', async () => {
  const { port } = await echoServer({ pipelined: 3 });
  const get = 'GET /wait/1 HTTP/1.1\r\nHost: x\r\n\r\n';
  const last = `GET /wait/2 HTTP/1.1\r\n${CLOSE}\r\n`;
  const client = new RawClient(port).send(get.repeat(200));
  await client.until(/waited/);
  client.send(last);
  await client.closed;
  expect(rawAnswers(client.received)).toHaveLength(201);
});

test('HEAD has the headers of GET and no body', async () => {
  const { port } = await echoServer();
  const received = await rawExchange(port, `HEAD /bytes/5000 HTTP/1.1\r\n${CLOSE}\r\n`);
  const [answer] = rawAnswers(received, true);
  expect(answer?.headers.get('Content-Length')).toBe('5000');
  expect(received.endsWith('\r\n\r\n')).toBe(true);
  const refused = await rawExchange(port, `HEAD /refuse HTTP/1.1\r\n${CLOSE}\r\n`);
  expect(refused).toMatch(/^HTTP\/1\.1 403 .*Content-Length: 48\r\n.*\r\n\r\n$/s);
});

test('an answer with 204 has no Content-Length', async () => {
  const { port } = await echoServer();
  const received = await rawExchange(port, `DELETE /none HTTP/1.1\r\n${CLOSE}\r\n`);
  expect(received).toMatch(/^HTTP\/1\.1 204 No Content\r\n/);
  expect(received).not.toContain('Content-Length');
});

test('errors are answered in the form of file requests, without internal details', async () => {
  const { port, exchanges } = await echoServer();
  const [refused] = rawAnswers(await rawExchange(port, `GET /refuse HTTP/1.1\r\n${CLOSE}\r\n`));
  expect(refused?.status).toBe(403);
  expect(refused?.headers.get('X-SessionId')).toMatch(/^[0-9a-f-]{36}$/);
  expect(refused?.body).toBe('{"RetCode":-148658,"ErrMsg":"invalid signature"}');
  const [failed] = rawAnswers(await rawExchange(port, `GET /fail HTTP/1.1\r\n${CLOSE}\r\n`));
  expect(failed?.status).toBe(500);
  expect(failed?.body).not.toContain('a fault of ours');
  expect(exchanges[1]?.message).toMatch(/a fault of ours\n +at /);
});

test('a large answer is sent no faster than the client reads it', async () => {
  const { port, pieces } = await echoServer();
  const size = 64 * 1024 * 1024;
  const client = new RawClient(port);
  client.socket.pause();
  client.send(`GET /bytes/${size} HTTP/1.1\r\n${CLOSE}\r\n`);
  await new Promise((resolve) => setTimeout(resolve, 300));
  // The operating system buffers only a few megabytes.
  expect(pieces()).toBeGreaterThan(0);
  expect(pieces()).toBeLessThan(400);
  client.socket.resume();
  await client.closed;
  expect(rawAnswers(client.received)[0]?.body).toHaveLength(size);
});

test('100 Continue is sent when the body is read, and not before a refusal', async () => {
  const { port } = await echoServer();
  const head = (path: string): string =>
    `PUT ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n`;
  const wanted = new RawClient(port).send(head('/hash'));
  await wanted.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
  wanted.send('abc');
  await wanted.until(/"size":3/);
  wanted.socket.destroy();
  const unwanted = await rawExchange(port, head('/refuse'));
  expect(unwanted).toMatch(/^HTTP\/1\.1 403 /);
  expect(unwanted).toContain('Connection: close');
  const [other] = rawAnswers(
    await rawExchange(port, `PUT /hash HTTP/1.1\r\nExpect: tea\r\n${CLOSE}\r\n`),
  );
  expect(other?.status).toBe(417);
});

test('a client of Node keeps its connection if the server does not read a body', async () => {
  const { port, exchanges } = await echoServer();
  const { Agent } = await import('node:http');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports = new Set<number | undefined>();
  for (const path of ['/refuse', '/hash', '/refuse']) {
    const status = await new Promise((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', path, method: 'PUT', agent }, (answer) => {
        ports.add(answer.socket.localPort);
        answer.resume().once('end', () => resolve(answer.statusCode));
      });
      sent.once('error', reject).end(Buffer.alloc(20 * 1024 * 1024));
    });
    expect(status).toBe(path === '/refuse' ? 403 : 200);
  }
  agent.destroy();
  expect(ports.size).toBe(1);
  expect(exchanges).toHaveLength(3);
});
