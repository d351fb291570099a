/**
 * Flips one bit in a data folder and finds out what happens.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../../bench/load/random.ts';
import { checkFolder } from '../../../reference/server/store/check-folder.ts';
import { openDurableStore } from '../../../reference/server/store/durable-store.ts';
import { sizeBefore } from '../../../reference/server/store/file-contents.ts';
import { OPTIONS } from '../stores.ts';
import { filesIn, type Reading, readAll } from './folder.ts';

export interface Flip {
  readonly path: string;
  readonly offset: number;
  readonly bit: number;
}

/** Half of the flips are in contents, half in the database and its label, evenly in all files. */
export function flipsIn(folder: string, count: number, random: Random): readonly Flip[] {
  const full = [...filesIn(folder).keys()]
    .map((path) => ({ path, size: readFileSync(join(folder, path)).length }))
    .filter(({ size }) => size > 0)
    .sort((a, b) => a.size - b.size);
  const isOfContent = ({ path }: { path: string }): boolean => path.startsWith('contents/');
  const groups = [full.filter((file) => !isOfContent(file)), full.filter(isOfContent)];
  return groups.flatMap((files) =>
    Array.from({ length: count / groups.length }, (_, number) => {
      const { path, size } = files[number % files.length] ?? { path: '', size: 1 };
      return { path, offset: random(size), bit: random(8) };
    }),
  );
}

/** The kind of the file in which the bit is. */
export function kindOf({ path }: Flip): string {
  if (path.startsWith('contents/')) return 'content';
  const name = path.replace(/^metadata\//, '');
  if (/^LOG/.test(name)) return 'database: LOG';
  if (/^MANIFEST/.test(name)) return 'database: MANIFEST';
  if (/\.log$/.test(name)) return 'database: log';
  if (/\.ldb$/.test(name)) return 'database: table';
  return path.startsWith('metadata/') ? `database: ${name}` : name;
}

export interface Fate {
  readonly outcome:
    | 'WRONG'
    | 'harmless'
    | 'reported, nothing lost'
    | 'reported, the rest served'
    | 'reported on reading'
    | 'start refused'
    | 'start refused, repaired whole'
    | 'start refused, the rest repaired';
  /** Every message that was reported. */
  readonly sentences: readonly string[];
  /** The promises of the store that it broke; empty if none. */
  readonly wrongs: readonly string[];
}

function make({ path, offset, bit }: Flip, folder: string): void {
  const bytes = readFileSync(join(folder, path));
  bytes.writeUInt8(bytes.readUInt8(offset) ^ (1 << bit), offset);
  writeFileSync(join(folder, path), bytes);
}

/** Flips the bit in a copy of the folder, then checks the copy, opens it and reads everything. */
export async function fateOf(
  flip: Flip,
  original: string,
  copy: string,
  whole: Reading,
): Promise<Fate> {
  cpSync(original, copy, { recursive: true });
  make(flip, copy);
  const before = filesIn(copy);
  const checked = await checkFolder(copy).then(
    ({ faults }) => faults,
    (error: Error) => [error.message],
  );
  const touched = differing(before, filesIn(copy));
  const fate = await startedFate(copy, whole, original);
  const isOfContent = flip.path.startsWith('contents/');
  const all = [...touched.map((name) => `the check changed ${name}`), ...fate.wrongs];
  const isSilent = checked.length === 0 && (isOfContent || fate.outcome !== 'harmless');
  const wrongs = [...all, ...(isSilent ? ['the check reports nothing'] : [])];
  const isFound = fate.outcome === 'harmless' && checked.length > 0;
  const outcome = isFound ? 'reported, nothing lost' : fate.outcome;
  return {
    outcome: wrongs.length > 0 ? 'WRONG' : outcome,
    sentences: [...checked, ...fate.sentences],
    wrongs,
  };
}

async function startedFate(copy: string, whole: Reading, original: string): Promise<Fate> {
  try {
    return await readFate(copy, whole, original, false);
  } catch (error) {
    const sentences = [error instanceof Error ? error.message : String(error)];
    if (!sentences[0]?.includes('--repair')) {
      return { outcome: 'start refused', sentences, wrongs: lostContents(copy, original) };
    }
    const repaired = await readFate(copy, whole, original, true).catch(
      (again: Error): Fate => ({
        outcome: 'start refused',
        sentences: [again.message],
        wrongs: [`the repair does not help: ${again.message}`],
      }),
    );
    return {
      outcome:
        repaired.outcome === 'harmless'
          ? 'start refused, repaired whole'
          : 'start refused, the rest repaired',
      sentences: [...sentences, ...repaired.sentences],
      wrongs: repaired.wrongs,
    };
  }
}

async function readFate(
  copy: string,
  whole: Reading,
  original: string,
  repairs: boolean,
): Promise<Fate> {
  const store = await openDurableStore(copy, { ...OPTIONS, repairs });
  try {
    const reported = [...store.recovered, ...(await store.faults())];
    const lost = lostContents(copy, original);
    return judged(whole, await readAll(store), reported, lost);
  } finally {
    await store.close();
  }
}

/** All data must be unchanged, fail to be read, or be missing after a report. */
function judged(
  whole: Reading,
  there: Reading,
  reported: readonly string[],
  silent: readonly string[],
): Fate {
  const failures: string[] = [];
  const wrongs = [...silent];
  for (const [name, was] of whole) {
    const is = there.get(name);
    if (is && 'failure' in is) failures.push(is.failure);
    else if (JSON.stringify(is) !== JSON.stringify(was) && reported.length === 0) {
      wrongs.push(`${name} is another, and nothing was reported`);
    } else if (is && isWrong(name, was, is)) {
      wrongs.push(`${name} is wrong`);
    }
  }
  const isSame = [...whole].every(
    ([name, was]) => JSON.stringify(there.get(name)) === JSON.stringify(was),
  );
  const sentences = [...reported, ...failures];
  if (isSame) {
    return {
      outcome: reported.length > 0 ? 'reported, nothing lost' : 'harmless',
      sentences,
      wrongs,
    };
  }
  const outcome = reported.length > 0 ? 'reported, the rest served' : 'reported on reading';
  return { outcome, sentences, wrongs };
}

/** A file must be unchanged or missing. A file made from remaining parts may have fewer of them. */
const isWrong = (name: string, was: unknown, is: unknown): boolean =>
  name.startsWith('file ') &&
  !name.startsWith('file of upload') &&
  JSON.stringify(is) !== JSON.stringify(was);

/** Contents that are neither in their place nor, without checksums, in `lost+found`. */
function lostContents(copy: string, original: string): readonly string[] {
  const there = filesIn(copy);
  return readdirSync(join(original, 'contents'))
    .filter((id) => !there.has(`contents/${id}`))
    .filter((id) => {
      const file = readFileSync(join(original, 'contents', id));
      const bytes = file.subarray(0, sizeBefore(file.length));
      const sum = createHash('sha256').update(bytes).digest('hex');
      return there.get(`lost+found/${id}`) !== sum;
    })
    .map((id) => `content ${id} is gone`);
}

function differing(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}
