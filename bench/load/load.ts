/**
 * A load: several concurrent clients that put and get the same files and check every byte.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { Client } from './client.ts';
import type { MixedContent, MixedFile } from './mix.ts';
import { createRandom, pick } from './random.ts';

export interface Load {
  readonly port: number;
  readonly bucket: string;
  readonly files: readonly MixedFile[];
  readonly clients: number;
  /** @param took in milliseconds */
  readonly isOver: (took: number, bytes: number) => boolean;
  /** What the server uses as the ETag. */
  readonly sum: 'etag' | 'sha1';
}

export interface LoadResult {
  /** The durations of requests, in milliseconds. */
  readonly puts: readonly number[];
  readonly gets: readonly number[];
  /** Of all bodies, in both directions. */
  readonly bytes: number;
  readonly took: number;
  /** A sentence for each wrong answer. */
  readonly errors: readonly string[];
}

/** The load stops after so many errors: the server may be gone. */
const MOST_ERRORS = 100;

/** Puts every file once, then puts and gets random files until the load is over. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const client = new Client(load.port);
  const puts: number[] = [];
  const gets: number[] = [];
  const errors: string[] = [];
  const result = { puts, gets, bytes: 0, errors };
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
      const random = createRandom(number + 1);
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
  throw new Error(`put ${key}: ${reply.status}, ETag ${reply.etag}; expected ${content[sum]}`);
}

/** The ETag must be that of one of the file's contents, and the bytes must match it. */
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
