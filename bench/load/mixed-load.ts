/**
 * A server under a mixed load of puts and gets: speed, waits, errors, memory.
 *
 * @module
 */

import { durableStore } from '../../reference/server/store/durable-store.ts';
import { SPECIFICATION } from '../../reference/signing/index.ts';
import { BUCKET, type Candidate } from './candidates.ts';
import { mebibytes, quantile, speed } from './figures.ts';
import { type LoadResult, underLoad } from './load.ts';
import { mixedFiles } from './mix.ts';
import { openHandles, residentMemory } from './process-use.ts';
import type { Serving } from './serving.ts';

export const LOAD_HEADING: readonly string[] = [
  'load',
  'requests',
  'MB/s',
  'errors',
  'put p50',
  'p99',
  'get p50',
  'p99 ms',
  'RSS at 1/6',
  '1/2',
  'end MiB',
  'grown',
  'handles left',
];

/** Of each of the eight sizes: 48 MiB are held, which the server overwrites all the time. */
const FILES_OF_A_SIZE = 3;

const CLIENTS = 8;

/** A row of figures. Throws where anything is left on disk that does not belong there. */
export async function mixedLoad(
  candidate: Candidate,
  folder: string,
  seconds: number,
): Promise<readonly string[]> {
  const server = await candidate.start(folder);
  const before = openHandles(server.pid);
  const [result, memory] = await Promise.all([
    underLoad({
      port: server.port,
      bucket: BUCKET,
      files: mixedFiles(FILES_OF_A_SIZE),
      clients: CLIENTS,
      milliseconds: seconds * 1000,
      sum: candidate.sum,
    }),
    memoryAt(server, [seconds / 6, seconds / 2, seconds]),
  ]);
  const left = await handlesLeft(server, before);
  await server.stop();
  if (candidate.hasData) await checkFolder(folder);
  for (const error of result.errors.slice(0, 3)) process.stderr.write(`${error}\n`);
  return [candidate.name, ...cells(result), ...memory.map(mebibytes), grown(memory), left];
}

function cells({ puts, gets, bytes, took, errors }: LoadResult): readonly string[] {
  const waits = [puts, gets].flatMap((all) => [quantile(all, 0.5), quantile(all, 0.99)]);
  return [
    String(puts.length + gets.length),
    speed(bytes, took).toFixed(0),
    String(errors.length),
    ...waits.map((milliseconds) => milliseconds.toFixed(0)),
  ];
}

async function memoryAt(server: Serving, seconds: readonly number[]): Promise<readonly number[]> {
  const from = performance.now();
  const seen: number[] = [];
  for (const moment of seconds) {
    const wait = moment * 1000 - (performance.now() - from);
    await new Promise((resolve) => setTimeout(resolve, wait));
    seen.push(residentMemory(server.pid));
  }
  return seen;
}

function grown(memory: readonly number[]): string {
  const [first = Number.NaN] = memory;
  const last = memory.at(-1) ?? Number.NaN;
  return `${((last / first - 1) * 100).toFixed(0)} %`;
}

/** Once the clients have gone. */
async function handlesLeft(server: Serving, before: number | undefined): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 500));
  const after = openHandles(server.pid);
  return before === undefined || after === undefined ? '?' : String(after - before);
}

async function checkFolder(folder: string): Promise<void> {
  const store = await durableStore(folder, { context: SPECIFICATION });
  const faults = await store.faults();
  await store.close();
  if (faults.length > 0) throw new Error(`the folder is not whole: ${faults.join('; ')}`);
}
