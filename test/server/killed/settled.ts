/**
 * Checks that a server that was killed kept what it had acknowledged, and nothing else.
 *
 * @module
 */
import { readdirSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Client } from '../../../bench/load/client.ts';
import { type Found, found, NOTHING, promised, uploadsOf } from './found.ts';
import { type Entries, type Lane, SHARED } from './lane.ts';

/** Each lane must be as acknowledged, with or without its pending operation. Updates the lanes. */
export async function settled(
  lanes: readonly Lane[],
  client: Client,
  folder: string,
): Promise<void> {
  const there = await found(client);
  const numbers = lanes.map(({ number }) => String(number));
  expect([...there.keys()].filter((lane) => !numbers.includes(lane))).toEqual([]);
  const uploads = new Map(await uploadsOf(client, SHARED));
  for (const lane of lanes) {
    const entries = actual(lane, there.get(String(lane.number)) ?? NOTHING);
    lane.was = withUploadId(entries, uploads);
    delete lane.becomes;
  }
  checkFolder(lanes, folder);
}

function actual({ number, was, becomes }: Lane, own: Found): Entries {
  const possible = [was, ...(becomes ? [becomes] : [])];
  const entries = possible.find((one) => isDeepStrictEqual(promised(one), own));
  // Fails with the difference.
  if (!entries) expect(own, `lane ${number}`).toEqual(promised(becomes ?? was));
  return entries ?? was;
}

function withUploadId(entries: Entries, ids: ReadonlyMap<string, string>): Entries {
  const { upload } = entries;
  const id = upload && ids.get(upload.key);
  return upload && id !== undefined ? { ...entries, upload: { ...upload, id } } : entries;
}

/** In bytes. A longer text is always a file; a shorter one in one piece is in its record. */
const LARGEST_IN_RECORD = 2048;

/** Checks how many files are on disk. The last check of a test compares names with records. */
function checkFolder(lanes: readonly Lane[], folder: string): void {
  expect(readdirSync(folder).sort()).toEqual([
    'acknowledged',
    'contents',
    'metadata',
    'store.json',
  ]);
  const contents = readdirSync(`${folder}/contents`);
  const texts = lanes.flatMap(({ was: { files, upload } }) => [
    ...Object.values(files).flat(),
    ...(upload?.parts ?? []),
  ]);
  expect(contents.filter((name) => !/^[0-9a-f]{32}$/.test(name))).toEqual([]);
  const long = texts.filter(([, size]) => size > LARGEST_IN_RECORD);
  expect(contents.length, 'files in the folder').toBeGreaterThanOrEqual(long.length);
  expect(contents.length, 'files in the folder').toBeLessThanOrEqual(texts.length);
}
