import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Change } from '../../reference/server/store/records.ts';
import { groupWrites } from '../../reference/server/store/records.ts';

const put = (key: string): Change => ({ type: 'put', key, value: key });

test('changes during a write are written together in the next one, in order', async () => {
  const written: string[][] = [];
  let isWriting = false;
  const write = groupWrites(async (changes) => {
    expect(isWriting).toBe(false);
    isWriting = true;
    await sleep(5);
    written.push(changes.map(({ key }) => key));
    isWriting = false;
  });
  const first = write([put('a')]);
  await sleep(1);
  await Promise.all([first, write([put('b'), put('c')]), write([put('d')])]);
  await write([put('e')]);
  expect(written).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
});

// Records after an incomplete one would be lost.
test('after a failed write, later writes fail and write nothing', async () => {
  const tried: string[] = [];
  const write = groupWrites(async (changes) => {
    tried.push(...changes.map(({ key }) => key));
    await sleep(1);
    if (tried.includes('b')) throw new Error('the disk is full');
  });
  await write([put('a')]);
  const writes = ['b', 'c', 'd'].map((key) => write([put(key)]));
  for (const one of writes) await expect(one).rejects.toThrow('the disk is full');
  await expect(write([put('e')])).rejects.toThrow('the disk is full');
  expect(tried).toEqual(['a', 'b', 'c', 'd']);
});
