/**
 * Measures a server under a load of puts and gets: speed, latency, errors, memory.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BUCKET, type Candidate } from './candidates.ts';
import { checkFolder } from './data-folder.ts';
import { mebibytes, quantile, speed } from './figures.ts';
import { type LoadResult, runLoad } from './load.ts';
import type { MixedFile } from './mix.ts';
import { openHandles, residentMemory } from './process-use.ts';
import type { Serving } from './serving.ts';

const CLIENTS = 8;

/** When memory is measured, as parts of the whole time. */
const MOMENTS: readonly number[] = [1 / 6, 1 / 2, 1];

export function loadHeading(name: string, seconds: number): readonly string[] {
  return [
    name,
    ...['requests/s', 'MB/s', 'errors'],
    ...['put p50', 'p99', 'get p50', 'p99 ms'],
    ...MOMENTS.map((part) => `RSS at ${(part * seconds).toFixed(0)} s`),
    ...['MiB grown', 'handles left'],
  ];
}

/** @throws Error if an answer is wrong, or the data folder has contents without a file */
export async function measureLoad(
  candidate: Candidate,
  folder: string,
  files: readonly MixedFile[],
  seconds: number,
): Promise<readonly string[]> {
  const server = await candidate.start(folder);
  try {
    const before = openHandles(server.pid);
    const { port } = server;
    const { sum } = candidate;
    const isOver = (took: number): boolean => took >= seconds * 1000;
    const load = { port, bucket: BUCKET, files, clients: CLIENTS, isOver, sum };
    const [result, memory] = await Promise.all([runLoad(load), measureMemory(server, seconds)]);
    const left = await countHandlesLeft(server, before);
    await server.stop();
    if (candidate.hasData) await checkFolder(folder, files.length);
    if (result.errors.length > 0) throw new Error(`${candidate.name}: ${result.errors.join('; ')}`);
    return [candidate.name, ...cells(result), ...memory.map(mebibytes), grown(memory), left];
  } finally {
    await server.kill();
  }
}

function cells({ puts, gets, bytes, took, errors }: LoadResult): readonly string[] {
  const waits = [puts, gets].flatMap((all) => [quantile(all, 0.5), quantile(all, 0.99)]);
  return [
    (((puts.length + gets.length) / took) * 1000).toFixed(0),
    speed(bytes, took).toFixed(0),
    String(errors.length),
    ...waits.map((milliseconds) => milliseconds.toFixed(0)),
  ];
}

async function measureMemory(server: Serving, seconds: number): Promise<readonly number[]> {
  const from = performance.now();
  const seen: number[] = [];
  for (const part of MOMENTS) {
    await sleep(part * seconds * 1000 - (performance.now() - from));
    seen.push(residentMemory(server.pid));
  }
  return seen;
}

function grown(memory: readonly number[]): string {
  const [first = Number.NaN] = memory;
  return mebibytes((memory.at(-1) ?? Number.NaN) - first);
}

/** Waits until the client's connections are closed. */
async function countHandlesLeft(server: Serving, before: number | undefined): Promise<string> {
  await sleep(500);
  const after = openHandles(server.pid);
  return before === undefined || after === undefined ? '?' : String(after - before);
}
