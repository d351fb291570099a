/**
 * The alternative that loads are compared with: node:http that hashes bodies and keeps the last of each path, and nothing else.
 *
 * It knows no signatures, no buckets and no limits, and forgets all when it ends.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Kept {
  readonly etag: string;
  readonly pieces: readonly Buffer[];
  readonly size: number;
}

const files = new Map<string, Kept>();

async function kept(message: IncomingMessage): Promise<Kept> {
  const hash = createHash('sha1');
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of message) {
    hash.update(piece);
    pieces.push(piece);
    size += piece.length;
  }
  return { etag: hash.digest('hex'), pieces, size };
}

async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = message.url ?? '';
  if (message.method === 'PUT') files.set(path, await kept(message));
  if (message.method === 'DELETE') files.delete(path);
  const file = files.get(path);
  const isRead = message.method === 'GET';
  response.writeHead(200, { ETag: `"${file?.etag}"`, 'Content-Length': isRead ? file?.size : 0 });
  if (isRead) for (const piece of file?.pieces ?? []) response.write(piece);
  response.end();
}

const server = createServer((message, response) => {
  answer(message, response).catch(() => response.destroy());
}).listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`listens on http://127.0.0.1:${port}\n`);
});
