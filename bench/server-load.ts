/**
 * The server under load from another process, beside a bare one: `npm run bench:server [-- SECONDS]`.
 *
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CANDIDATES, type Candidate } from './load/candidates.ts';
import { median, table } from './load/figures.ts';
import { LARGE_HEADING, largePut, plainSha1 } from './load/large-put.ts';
import { LOAD_HEADING, mixedLoad } from './load/mixed-load.ts';

const SECONDS = Number(process.argv[2] ?? 60);
const STARTS = 11;

/** With a folder of its own, which is gone afterwards. */
async function inFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-bench-'));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function startTime({ name, start }: Candidate): Promise<readonly string[]> {
  const times = await inFolder(async (folder) => {
    const all: number[] = [];
    for (let round = 0; round < STARTS; round++) {
      const server = await start(folder);
      all.push(server.readyIn);
      await server.stop();
    }
    return all;
  });
  return [name, median(times).toFixed(0)];
}

async function rows(
  of: (candidate: Candidate) => Promise<readonly string[]>,
): Promise<readonly (readonly string[])[]> {
  const all: (readonly string[])[] = [];
  for (const candidate of CANDIDATES) all.push(await of(candidate));
  return all;
}

const said = (text: string): boolean => process.stdout.write(`${text}\n`);

said(table(['from start to ready', 'ms'], await rows(startTime)));
const sha1 = plainSha1();
const large = await rows((one) => inFolder((folder) => largePut(one, folder, sha1)));
said(table(LARGE_HEADING, [['SHA-1 alone', sha1.toFixed(0), '100 %', ''], ...large]));
said(`${SECONDS} s of puts and gets, 64 KiB to 8 MiB, 8 at once`);
said(
  table(LOAD_HEADING, await rows((one) => inFolder((folder) => mixedLoad(one, folder, SECONDS)))),
);
