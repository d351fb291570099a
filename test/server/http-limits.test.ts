import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectSecurely } from 'node:tls';
import { expect, test } from 'vitest';
import { thorough } from '../amount.ts';
import { folderOfTest } from '../temporary-folder.ts';
import { echoServer } from './echo-server.ts';
import { RawClient, rawAnswers, rawExchange } from './raw-client.ts';
import { selfSigned } from './self-signed.ts';

const HOST = 'Host: x\r\n';

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\n${HOST}${headers}\r\n`;
const put = (path: string, headers: string, body = ''): string =>
  `PUT ${path} HTTP/1.1\r\n${HOST}${headers}\r\n\r\n${body}`;
const CLOSE = 'Connection: close\r\n';

const sleep = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));

/** Expects one answer before the connection is closed: an error in the form of file requests. */
function expectError(received: string, status: number, sentence: string | RegExp): void {
  const answers = rawAnswers(received);
  expect(answers.map((answer) => answer.status)).toEqual([status]);
  const [answer] = answers;
  expect(answer?.headers.get('Content-Type')).toBe('application/json');
  expect(answer?.headers.get('Connection')).toBe('close');
  expect(answer?.headers.get('X-SessionId')).toMatch(/^[0-9a-f-]{36}$/);
  const { RetCode, ErrMsg } = JSON.parse(answer?.body ?? '') as Record<string, unknown>;
  expect(RetCode).toBe(-149_000 - status);
  expect(ErrMsg).toMatch(sentence);
}

/** Everything that a client receives that closes its side after the text. */
async function sendAndClose(port: number, sent: string): Promise<string> {
  const half = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).end(sent);
  return text(half);
}

test('headers that are too large are refused', async () => {
  const { port } = await echoServer({ headSize: 4096 });
  const large = get('/', `X: ${'a'.repeat(5000)}\r\n`);
  expectError(await rawExchange(port, large), 431, 'over 4096 bytes together');
  const target = get(`/${'a'.repeat(5000)}`);
  expectError(await rawExchange(port, target), 431, 'over 4096 bytes together');
});

test('all of 3000 headers are read', async () => {
  const { port } = await echoServer();
  const lines = Array.from({ length: 3000 }, (_, at) => `X:${at}\r\n`).join('');
  const received = await rawExchange(port, get('/', `${CLOSE}${lines}`));
  expect(JSON.parse(rawAnswers(received)[0]?.body ?? '').headers).toHaveLength(3002);
});

test('slow headers are answered 408, and a silent connection is closed', async () => {
  const { port } = await echoServer({ headTime: 300 });
  const [slow, silent] = [new RawClient(port), new RawClient(port)];
  slow.send('GET / HTTP/1.1\r\n');
  const drip = setInterval(() => slow.send('X: 1\r\n'), 100);
  await Promise.all([slow.closed, silent.closed]);
  clearInterval(drip);
  expectError(slow.received, 408, 'did not come in time');
  expect(silent.received).toBe('');
});

test('a body below the least speed is answered 408, and one above it is read', async () => {
  const { port } = await echoServer({ stallTime: 500, leastSpeed: 100 });
  const head = (length: number): string => put('/hash', `Content-Length: ${length}`);
  const stalled = new RawClient(port).send(`${head(10)}abc`);
  const dripping = new RawClient(port).send(head(1000));
  const drip = setInterval(() => dripping.send('.'), 100);
  const moving = new RawClient(port).send(head(1000));
  const move = setInterval(() => moving.send('.'.repeat(50)), 100);
  await Promise.all([stalled.closed, dripping.closed, moving.until(/"size":1000/)]);
  clearInterval(drip);
  clearInterval(move);
  moving.socket.destroy();
  expectError(stalled.received, 408, 'too slowly: 3 bytes');
  expectError(dripping.received, 408, /too slowly: \d+ bytes/);
});

test('a body over the limit is refused, with Content-Length or in chunks', async () => {
  const { port } = await echoServer({ bodySize: 1000 });
  const refusal = { RetCode: -149_413, ErrMsg: expect.stringContaining('at most 1000 bytes') };
  const next = get('/wait/0', CLOSE);
  for (const request of [
    put('/hash', 'Content-Length: 1001', `${'a'.repeat(1001)}`),
    put('/hash', 'Transfer-Encoding: chunked', `5DC\r\n${'a'.repeat(1500)}\r\n0\r\n\r\n`),
  ]) {
    // The rest of the body is not read as a request.
    const [refused, other] = rawAnswers(await rawExchange(port, request + next));
    expect([refused?.status, JSON.parse(refused?.body ?? '')]).toEqual([413, refusal]);
    expect(other?.status).toBe(200);
  }
});

test('an unread body is read up to a limit, then the connection is closed', async () => {
  const { port } = await echoServer({ unreadSize: 100_000, bodySize: 1000 });
  const announced = new RawClient(port);
  announced.send(put('/refuse', 'Content-Length: 100000000'));
  await announced.until(/invalid signature/);
  expect(announced.received).toContain('Connection: close');
  const endless = new RawClient(port);
  endless.send(put('/refuse', 'Transfer-Encoding: chunked'));
  const more = setInterval(() => endless.send(`5000\r\n${'a'.repeat(0x5000)}\r\n`), 1);
  await endless.closed;
  clearInterval(more);
  expect(endless.received).toContain('invalid signature');
  announced.send('a'.repeat(500_000));
  await announced.closed;
});

test('a client that reads nothing until it has sent everything gets its answer', async () => {
  const { port } = await echoServer();
  const size = 20_000_000;
  const client = new RawClient(port);
  client.socket.pause();
  client.send(
    `PUT /refuse HTTP/1.1\r\n${HOST}Connection: close\r\nContent-Length: ${size}\r\n\r\n`,
  );
  const isSent = new Promise((resolve) => client.socket.write(Buffer.alloc(size), resolve));
  expect(await isSent).toBeFalsy();
  client.socket.resume();
  await client.closed;
  expect(client.received).toContain('invalid signature');
});

test('a client that closes its side after a request gets its answer', async () => {
  const { port } = await echoServer();
  const received = await sendAndClose(port, get('/wait/200'));
  expect(rawAnswers(received)[0]?.body).toBe('{"waited":"200"}');
});

test('an incomplete body is answered and reported with 400', async () => {
  const { port, exchanges } = await echoServer();
  const received = await sendAndClose(port, put('/hash', 'Content-Length: 10', 'abc'));
  expectError(received, 400, 'breaks off');
  const gone = new RawClient(port).send(put('/hash', 'Content-Length: 9', 'ab'));
  await sleep(50);
  gone.socket.resetAndDestroy();
  await expect.poll(() => exchanges.length).toBe(2);
  expect(exchanges[1]).toMatchObject({ status: 400, message: /breaks off after 2 bytes/ });
});

test('malformed chunks are reported as an error of their request', async () => {
  const { port, exchanges } = await echoServer();
  const wrong = put('/hash', 'Transfer-Encoding: chunked', '3\r\nabc\r\nxyz\r\n');
  expectError(await rawExchange(port, wrong), 400, 'not HTTP/1.1');
  expect(exchanges).toMatchObject([{ target: '/hash', status: 400 }]);
});

test('malformed input after a request is answered after that request', async () => {
  const { port } = await echoServer();
  const received = await rawExchange(port, `GET /wait/200 HTTP/1.1\r\n${HOST}\r\nnonsense\r\n\r\n`);
  expect(rawAnswers(received).map(({ status }) => status)).toEqual([200, 400]);
});

test.each([
  ['input that is not HTTP', 'nonsense\r\n\r\n', 'not HTTP/1.1'],
  ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001', 'a TLS handshake'],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'is HTTP/2'],
  ['a repeated Host', get('/', `Host: y\r\n${CLOSE}`), 'appears 2 times'],
  ['a missing Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 'Host is missing'],
  ['an https URL as the target', get('https://a/b', CLOSE), 'set https_proxy to this server'],
  ['an ftp URL as the target', get('ftp://a/b', CLOSE), 'only http URLs'],
  ['a target with a user', get('http://u@a/', CLOSE), 'user'],
  [
    'a chunked body with Content-Length',
    put('/', 'Content-Length: 1\r\nTransfer-Encoding: chunked'),
    'Content-Length',
  ],
])('%s is answered 400 with the reason', async (_, sent, sentence) => {
  const { port } = await echoServer();
  expectError(await rawExchange(port, Buffer.from(sent, 'latin1')), 400, sentence);
});

test('CONNECT is refused with a hint to use http', async () => {
  const { port } = await echoServer();
  const connectLine = 'CONNECT cn-bj.ufileos.com:443 HTTP/1.1\r\nHost: cn-bj.ufileos.com\r\n\r\n';
  expectError(await rawExchange(port, connectLine), 501, 'use http:// URLs');
});

test('a client that does not read its answer is disconnected', async () => {
  const { port, exchanges } = await echoServer({ stallTime: 300 });
  const client = new RawClient(port);
  client.socket.pause();
  client.send(`GET /bytes/${64 * 1024 * 1024} HTTP/1.1\r\n${HOST}\r\n`);
  await expect.poll(() => exchanges.length, { timeout: 600_000 }).toBe(1);
  expect(exchanges[0]).toMatchObject({ status: 200, message: /too slowly/ });
  client.socket.resume();
  await client.closed;
  expect(client.received.length).toBeLessThan(64 * 1024 * 1024);
});

thorough('a client that reads a long answer slowly gets all of it', async () => {
  const { port } = await echoServer({ stallTime: 60_000 });
  const client = new RawClient(port).send(get('/text/30000000', CLOSE));
  client.socket.on('data', () => {
    client.socket.pause();
    setTimeout(() => client.socket.resume(), 5);
  });
  await client.closed;
  expect(client.received.length).toBeGreaterThan(30_000_000);
});

test('the server stops sending when the client disconnects', async () => {
  const { port, exchanges, pieces } = await echoServer();
  const client = new RawClient(port);
  client.send(`GET /bytes/${256 * 1024 * 1024} HTTP/1.1\r\n${HOST}\r\n`);
  await client.until(/200 OK/);
  client.socket.destroy();
  await expect.poll(() => exchanges.length).toBe(1);
  expect(exchanges[0]).toMatchObject({ message: /has gone/ });
  expect(pieces()).toBeLessThan(4096);
});

test('the server reads only a few requests of a connection ahead', async () => {
  const { port } = await echoServer({ pipelined: 4 });
  const client = new RawClient(port);
  let taken = 0;
  const sendMore = (): void => {
    client.socket.write(get('/wait/60000').repeat(1000), (error) => {
      taken += 1;
      if (!error) sendMore();
    });
  };
  sendMore();
  const takenMeanwhile = async (): Promise<number> => {
    const before = taken;
    await sleep(1000);
    return taken - before;
  };
  await expect.poll(takenMeanwhile, { timeout: 600_000 }).toBe(0);
  expect(taken).toBeGreaterThan(0);
  client.socket.destroy();
});

test('a connection over the limit is answered 503, and a later one is served', async () => {
  const { port } = await echoServer({ connections: 3 });
  const open = Array.from({ length: 3 }, () => new RawClient(port));
  await Promise.all(open.map((client) => client.send(get('/')).until(/200/)));
  const one = new RawClient(port);
  await one.closed;
  expectError(one.received, 503, '3 connections are open');
  open[0]?.socket.destroy();
  await sleep(50);
  expect(await rawExchange(port, get('/', CLOSE))).toContain('200 OK');
  for (const { socket } of open) socket.destroy();
});

test('an idle connection is closed', async () => {
  const { port } = await echoServer({ idleTime: 200 });
  const received = await rawExchange(port, get('/wait/0'));
  expect(rawAnswers(received)).toHaveLength(1);
});

test('a request whose answer takes too long is answered 503', async () => {
  const { port } = await echoServer({ answerTime: 100 });
  const received = await rawExchange(port, get('/wait/9000', CLOSE));
  expectError(received, 503, 'no answer was found within 0.1 s');
});

test('a stop waits for running requests, but not for long, and accepts no others', async () => {
  const { port, stop, exchanges } = await echoServer({ stopTime: 1000 });
  const running = new RawClient(port).send(get('/wait/400'));
  const endless = new RawClient(port).send(get('/wait/60000'));
  const idle = new RawClient(port).send(get('/wait/0'));
  const silent = new RawClient(port);
  const begun = new RawClient(port).send('GET / HTTP/1.1\r\n');
  await idle.until(/waited/);
  await sleep(50);
  const ended: string[] = [];
  const stopped = stop().then(() => ended.push('stopped'));
  await Promise.all([idle.closed, silent.closed, begun.closed]).then(() => ended.push('idle'));
  await expect(rawExchange(port, 'GET / HTTP/1.1\r\n\r\n')).resolves.toBe('');
  await stopped;
  expect(ended).toEqual(['idle', 'stopped']);
  expect(rawAnswers(running.received)[0]?.headers.get('Connection')).toBe('close');
  expect(endless.received).toBe('');
  await endless.closed;
  expect(exchanges.map(({ target }) => target)).toEqual(['/wait/0', '/wait/400']);
});

test('with a certificate the server speaks TLS, and plain http is refused with a fix', async () => {
  const files = selfSigned(folderOfTest());
  const tls = { key: readFileSync(files.key, 'utf8'), cert: readFileSync(files.cert, 'utf8') };
  const { port } = await echoServer({ headTime: 500 }, tls);
  const secure = connectSecurely({
    port,
    host: '127.0.0.1',
    ca: tls.cert,
    servername: 'localhost',
  });
  secure.write(get('/k', CLOSE));
  const received = await text(secure);
  expect(rawAnswers(received)[0]?.status).toBe(200);
  expectError(await rawExchange(port, get('/')), 400, 'use https:// in the endpoint');
  // A client that sends no handshake is disconnected.
  expect(await rawExchange(port, '')).toBe('');
});
