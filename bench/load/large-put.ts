/**
 * Measures a put of the largest size, compared with the hash alone.
 *
 * @module
 */
import { createHash, randomBytes } from 'node:crypto';
import { BUCKET, type Candidate } from './candidates.ts';
import { Client, type Pieces } from './client.ts';
import { mebibytes, median, speed } from './figures.ts';
import { residentMemory } from './process-use.ts';

export const LARGE_HEADING: readonly string[] = ['512 MiB', 'MB/s', 'of SHA-1', 'RSS MiB'];

const SIZE = 512 * 1024 ** 2;
const ROUNDS = 3;

const piece = randomBytes(1024 ** 2);

function* pieces(): Generator<Uint8Array> {
  for (let sent = 0; sent < SIZE; sent += piece.length) yield piece;
}

/** The speed of hashing alone; in MB/s. */
export function measureSha1(): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const from = performance.now();
    const hash = createHash('sha1');
    for (const one of pieces()) hash.update(one);
    hash.digest();
    return performance.now() - from;
  });
  return speed(SIZE, median(rounds));
}

export async function measureLargePut(
  candidate: Candidate,
  folder: string,
  sha1: number,
): Promise<readonly string[]> {
  const server = await candidate.start(folder);
  const client = new Client(server.port);
  try {
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await measurePut(client));
    const memory = mebibytes(residentMemory(server.pid));
    const reached = speed(SIZE, median(rounds));
    return [candidate.name, reached.toFixed(0), `${((reached / sha1) * 100).toFixed(0)} %`, memory];
  } finally {
    client.end();
    await server.kill();
  }
}

/** In milliseconds. The file is deleted afterwards: memory has room for one or two. */
async function measurePut(client: Client): Promise<number> {
  const body: Pieces = { length: SIZE, pieces: pieces() };
  const from = performance.now();
  const { status, bytes } = await client.ask({ bucket: BUCKET, key: 'large', method: 'PUT', body });
  const took = performance.now() - from;
  if (status !== 200) throw new Error(`a put of ${SIZE} bytes: ${status} ${bytes}`);
  await client.ask({ bucket: BUCKET, key: 'large', method: 'DELETE' });
  return took;
}
