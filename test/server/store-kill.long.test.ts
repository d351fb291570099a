import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openDurableStore } from '../../reference/server/store/durable-store.ts';
import type { Store } from '../../reference/server/store/store.ts';
import { etag, SPECIFICATION } from '../../reference/signing/index.ts';
import { RUNS } from '../amount.ts';
import { SEED } from '../seed.ts';
import { folderOfTest } from '../temporary-folder.ts';
import { OPTIONS } from './stores.ts';

/** For more: `SVC_KILLS=200 npx vitest run test/server/store-kill.long.test.ts`. */
const KILLS = Number(process.env['SVC_KILLS'] ?? (RUNS > 1 ? 10 : 4));

const LANES = 8;
const WRITER = fileURLToPath(new URL('programs/store-writer.mjs', import.meta.url));

/** The number and the size of a content, which determine its bytes. */
type Text = readonly [number: number, size: number];

/** The data of a lane: the parts of the files "a" and "b", and the parts of an upload by number. */
interface Entries {
  readonly a?: readonly Text[];
  readonly b?: readonly Text[];
  readonly parts?: Readonly<Record<string, Text>>;
}

interface Lane {
  was: Entries;
  /** The entries after the pending operation, which the writer may or may not have done. */
  becomes?: Entries;
}

interface Message {
  readonly lane: number;
  readonly becomes?: Entries;
}

/** Starts a writer for the lanes, and kills it after a number of acknowledged writes. */
async function writeUntilKilled(folder: string, lanes: readonly Lane[], seed: number) {
  const starts = JSON.stringify(lanes.map(({ was }) => was));
  const writer = spawn(process.execPath, [WRITER, folder, String(seed), starts], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(writer, 'close');
  const done = await followed(writer, lanes, 20 + (seed % 80), (seed % 50) / 10);
  const [, signal] = await ended;
  expect(signal, 'the writer ended by itself').toBe('SIGKILL');
  return done;
}

async function followed(writer: ChildProcess, lanes: readonly Lane[], most: number, delay: number) {
  let done = 0;
  if (!writer.stdout) return done;
  for await (const line of createInterface({ input: writer.stdout })) {
    const message: Message = JSON.parse(line);
    const lane = lanes[message.lane];
    if (!lane) throw new Error(`the writer says ${line}`);
    if (message.becomes) lane.becomes = message.becomes;
    else {
      lane.was = lane.becomes ?? {};
      delete lane.becomes;
      if (++done === most) void wait(delay).then(() => writer.kill('SIGKILL'));
    }
  }
  return done;
}

/** The bytes of a file with these contents. */
const bytesOf = (texts: readonly Text[]): Buffer =>
  Buffer.concat(texts.map(([number, size]) => Buffer.alloc(size, `content ${number}, `)));

interface Found {
  readonly a?: string;
  readonly b?: string;
  readonly parts?: Readonly<Record<string, string>>;
}

const etagOf = (bytes: Uint8Array): string => etag(bytes, SPECIFICATION).etag;

/** The ETags of what the store must hold for these entries. */
function promised({ a, b, parts }: Entries): Found {
  return {
    ...(a && { a: etagOf(bytesOf(a)) }),
    ...(b && { b: etagOf(bytesOf(b)) }),
    ...(parts && {
      parts: Object.fromEntries(
        Object.entries(parts).map(([number, text]) => [number, etagOf(bytesOf([text]))]),
      ),
    }),
  };
}

const EVERYTHING = { prefix: '', after: '', limit: 1000 };

/** The ETags of what the store holds; those of files are computed from the bytes read. */
async function found(store: Store): Promise<ReadonlyMap<string, Found>> {
  const lanes = new Map<string, Found>();
  for (const object of await store.objects('b', EVERYTHING)) {
    const pieces = await store.read(object, 0, object.size);
    const bytes: Uint8Array[] = [];
    for await (const piece of pieces ?? []) bytes.push(piece);
    const sum = etagOf(Buffer.concat(bytes));
    expect(sum, `${object.key} is not what its record says`).toBe(object.etag);
    const [lane = '', name = ''] = object.key.split('/');
    lanes.set(lane, { ...lanes.get(lane), [name]: sum });
  }
  for (const { id, key } of await store.uploads('b', EVERYTHING)) {
    const [lane = ''] = key.split('/');
    const parts = await store.parts(id);
    const sums = parts.map(({ number, content }) => [number, content.etag] as const);
    lanes.set(lane, { ...lanes.get(lane), parts: Object.fromEntries(sums) });
  }
  return lanes;
}

/** Each lane must be as acknowledged, with or without its pending operation. */
function settle(lanes: readonly Lane[], there: ReadonlyMap<string, Found>): void {
  for (const [number, lane] of lanes.entries()) {
    const own = there.get(String(number)) ?? {};
    const possible = [lane.was, ...(lane.becomes ? [lane.becomes] : [])];
    expect(possible.map(promised), `lane ${number}`).toContainEqual(own);
    const actual = possible.findIndex((entries) => same(promised(entries), own));
    lane.was = possible[actual] ?? {};
    delete lane.becomes;
  }
  expect([...there.keys()].every((lane) => Number(lane) < lanes.length)).toBe(true);
}

const same = (left: Found, right: Found): boolean =>
  JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
const sorted = ({ a, b, parts }: Found): readonly unknown[] => [a, b, parts];

test(
  `acknowledged writes survive ${KILLS} kills, seed ${SEED}`,
  async () => {
    const folder = folderOfTest();
    const lanes: readonly Lane[] = Array.from({ length: LANES }, () => ({ was: {} }));
    let acknowledged = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      acknowledged += await writeUntilKilled(folder, lanes, SEED + kill);
      const store = await openDurableStore(folder, OPTIONS);
      settle(lanes, await found(store));
      expect(await store.faults()).toEqual([]);
      await store.close();
    }
    expect(acknowledged).toBeGreaterThan(KILLS * 20 - 1);
    console.log(`${acknowledged} writes acknowledged, ${KILLS} kills, seed ${SEED}`);
  },
  600_000 + KILLS * 5000,
);
