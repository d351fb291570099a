/**
 * Several clients at once that put and get the same files, and look at every byte.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { Client } from './client.ts';
import type { MixedContent, MixedFile } from './mix.ts';
import { pick, randomOf } from './random.ts';

export interface Load {
  readonly port: number;
  readonly bucket: string;
  readonly files: readonly MixedFile[];
  readonly clients: number;
  /** Whether it was long enough, in milliseconds, and enough bytes. */
  readonly isOver: (took: number, bytes: number) => boolean;
  /** What the server's ETag is. */
  readonly sum: 'etag' | 'sha1';
}

export interface LoadResult {
  /** How long each took, in milliseconds. */
  readonly puts: readonly number[];
  readonly gets: readonly number[];
  /** Of all bodies, in both directions. */
  readonly bytes: number;
  readonly took: number;
  /** A sentence for each answer that was not what it had to be. */
  readonly errors: readonly string[];
}

/** After so many, more would tell nothing new: the server is gone, perhaps. */
const MOST_ERRORS = 100;

/** Puts every file once, then puts and gets any of them until it is over. */
export async function underLoad(load: Load): Promise<LoadResult> {
  const client = new Client(load.port);
  const result = { puts: [] as number[], gets: [] as number[], bytes: 0, errors: [] as string[] };
  try {
    for (const file of load.files)
      await put(
        client,
        load,
        file,
        pick(file.contents, () => 0),
      );
    const from = performance.now();
    const work = async (_: unknown, number: number): Promise<void> => {
      const random = randomOf(number + 1);
      while (
        !load.isOver(performance.now() - from, result.bytes) &&
        result.errors.length < MOST_ERRORS
      ) {
        const file = pick(load.files, random);
        const start = performance.now();
        const isPut = random(2) === 0;
        try {
          if (isPut) await put(client, load, file, pick(file.contents, random));
          else await get(client, load, file);
          (isPut ? result.puts : result.gets).push(performance.now() - start);
          result.bytes += file.size;
        } catch (error) {
          result.errors.push(String(error));
        }
      }
    };
    await Promise.all(Array.from({ length: load.clients }, work));
    return { ...result, took: performance.now() - from };
  } finally {
    client.end();
  }
}

async function put(
  client: Client,
  { bucket, sum }: Load,
  { key }: MixedFile,
  content: MixedContent,
): Promise<void> {
  const reply = await client.ask({ bucket, key, method: 'PUT', body: content.bytes });
  if (reply.status === 200 && reply.etag === content[sum]) return;
  throw new Error(`put ${key}: ${reply.status}, ETag ${reply.etag}; it is ${content[sum]}`);
}

/** The ETag has to be one of the file, and the bytes those of the ETag. */
async function get(
  client: Client,
  { bucket, sum }: Load,
  { key, contents }: MixedFile,
): Promise<void> {
  const hash = createHash('sha1');
  const { status, etag } = await client.ask({ bucket, key, method: 'GET' }, (piece) => {
    hash.update(piece);
  });
  const sha1 = hash.digest('hex');
  const expected = contents.find((content) => content[sum] === etag);
  if (status === 200 && expected?.sha1 === sha1) return;
  throw new Error(`get ${key}: ${status}, ETag ${etag}, bytes with SHA-1 ${sha1}`);
}
