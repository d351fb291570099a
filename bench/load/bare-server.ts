/**
 * The alternative that loads are compared with: node:http that hashes bodies and keeps the last of each path, and nothing else.
 *
 * It knows no signatures, no buckets and no limits. With a file as its parameter, it also appends each body to that file and
 * answers once the body is on the disk; bodies that come during a sync share the next one.
 *
 * @module
 */

import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listeningPort } from '../../reference/values.ts';

interface Kept {
  readonly etag: string;
  readonly pieces: readonly Buffer[];
  readonly size: number;
}

const files = new Map<string, Kept>();

async function receive(message: AsyncIterable<Buffer>): Promise<Kept> {
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

const [, , path] = process.argv;
const disk = path === undefined ? undefined : await open(path, 'a');
let waiting: Buffer[] = [];
let synced: Promise<void> = Promise.resolve();

function append(pieces: readonly Buffer[]): Promise<void> {
  waiting.push(...pieces);
  if (waiting.length === pieces.length) synced = synced.then(writeWaiting);
  return synced;
}

async function writeWaiting(): Promise<void> {
  const group = waiting;
  waiting = [];
  await disk?.writev(group);
  await disk?.datasync();
}

async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = message.url ?? '';
  if (message.method === 'PUT') {
    const file = await receive(message);
    if (disk) await append(file.pieces);
    files.set(path, file);
  }
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
  process.stdout.write(`listens on http://127.0.0.1:${listeningPort(server)}\n`);
});
