/** The first line of a connection, also if it is split or incomplete. */
import { expect, test } from 'vitest';
import { RawClient } from './raw-client.ts';
import { started } from './serving.ts';

async function opened(limits: { headTime?: number } = {}): Promise<RawClient> {
  return new RawClient((await started({ buckets: [{ name: 'demo' }], limits })).port);
}

const REST = ' HTTP/1.1\r\nHost: demo.localhost\r\nConnection: close\r\n\r\n';

test.each([
  ['within the key', ['GET /\xc3\xa9k', 'y\xc3\xa9'], REST],
  ['within a character', ['GET /k\xc3', '\xa9'], REST],
  ['before the first non-ASCII byte', ['GET /', '\xc3\xa9'], REST],
  ['after the method', ['GET ', '/\xc3\xa9'], REST],
  ['within the line break', ['GET /\xc3\xa9 HTTP/1.1\r', '\nHost: demo.localhost'], `\r\n\r\n`],
])('a first line that is split into packets %s is read completely', async (_, pieces, rest) => {
  const client = await opened();
  client.socket.setNoDelay(true);
  const served = new Promise((resolve) => client.socket.once('connect', resolve));
  await served;
  for (const piece of pieces) {
    client.send(Buffer.from(piece, 'latin1'));
    // When a second connection is answered, the server has read the piece.
    await fetch(`http://127.0.0.1:${client.socket.remotePort}/-/health`).then((got) => got.text());
  }
  client.send(rest);
  expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 403 .*/);
});

test('an incomplete first line is answered 408', async () => {
  const client = await opened({ headTime: 200 });
  client.send(Buffer.from('GET /k\xe9', 'latin1'));
  expect(await client.until(/in time/)).toMatch(/^HTTP\/1\.1 408 /);
});

test('a first line that is not HTTP is answered 400 before it ends', async () => {
  const client = await opened();
  client.send('\x16\x03\x01\x02');
  expect(await client.until(/TLS handshake/)).toMatch(/^HTTP\/1\.1 400 /);
});
