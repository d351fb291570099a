/**
 * The server under load from another process, beside a bare one: `npm run bench:server [-- SECONDS]`.
 *
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CANDIDATES, type Candidate } from './load/candidates.ts';
import { table } from './load/figures.ts';
import { LARGE_HEADING, measureLargePut, measureSha1 } from './load/large-put.ts';
import { createFiles, MIXED_SIZES, type MixedFile } from './load/mix.ts';
import { loadHeading, measureLoad } from './load/mixed-load.ts';
import { measureStart, START_HEADING } from './load/start-time.ts';

/** Of each load. */
const SECONDS = Number(process.argv[2] ?? 60);

type Rows = readonly (readonly string[])[];

/** A row for each server; each has a folder of its own, which is gone afterwards. */
async function rows(
  of: (candidate: Candidate, folder: string) => Promise<readonly string[]>,
): Promise<Rows> {
  const all: (readonly string[])[] = [];
  for (const candidate of CANDIDATES) {
    const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-bench-'));
    try {
      all.push(await of(candidate, folder));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  return all;
}

function say(heading: readonly string[], figures: Rows): void {
  process.stdout.write(`${table(heading, figures)}\n`);
}

async function sayLoad(name: string, files: readonly MixedFile[]): Promise<void> {
  say(
    loadHeading(name, SECONDS),
    await rows((candidate, folder) => measureLoad(candidate, folder, files, SECONDS)),
  );
}

say(START_HEADING, await rows(measureStart));
const sha1 = measureSha1();
const large = await rows((candidate, folder) => measureLargePut(candidate, folder, sha1));
say(LARGE_HEADING, [['SHA-1 alone', sha1.toFixed(0), '100 %', ''], ...large]);
await sayLoad('64 KiB to 8 MiB', createFiles(MIXED_SIZES, 3));
await sayLoad('1 KiB', createFiles([1024], 100));
