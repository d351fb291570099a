/** The first line of a connection, however it comes in. */
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../reference/server/server.ts';
import { RawClient } from './raw-client.ts';

async function opened(limits: { headTime?: number } = {}): Promise<RawClient> {
  const server = await startServer({ port: 0, buckets: [{ name: 'demo' }], limits });
  onTestFinished(server.close);
  return new RawClient(server.port);
}

const REST = ' HTTP/1.1\r\nHost: demo.localhost\r\nConnection: close\r\n\r\n';

test.each([
  ['within the key', ['GET /\xc3\xa9k', 'y\xc3\xa9'], REST],
  ['within a character', ['GET /k\xc3', '\xa9'], REST],
  ['before the first byte beyond ASCII', ['GET /', '\xc3\xa9'], REST],
  ['after the method', ['GET ', '/\xc3\xa9'], REST],
  ['within the line end', ['GET /\xc3\xa9 HTTP/1.1\r', '\nHost: demo.localhost'], `\r\n\r\n`],
])('a first line in several packets is read as one: %s', async (_, pieces, rest) => {
  const client = await opened();
  client.socket.setNoDelay(true);
  const served = new Promise((resolve) => client.socket.once('connect', resolve));
  await served;
  for (const piece of pieces) {
    client.send(Buffer.from(piece, 'latin1'));
    // The server has read what was sent before a second connection is answered.
    await fetch(`http://127.0.0.1:${client.socket.remotePort}/-/health`).then((got) => got.text());
  }
  client.send(rest);
  expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 403 .*/);
});

test('a first line that does not end is answered 408', async () => {
  const client = await opened({ headTime: 200 });
  client.send(Buffer.from('GET /k\xe9', 'latin1'));
  expect(await client.until(/in time/)).toMatch(/^HTTP\/1\.1 408 /);
});

test('what is no line of HTTP is answered before it ends', async () => {
  const client = await opened();
  client.send('\x16\x03\x01\x02');
  expect(await client.until(/TLS handshake/)).toMatch(/^HTTP\/1\.1 400 /);
});
