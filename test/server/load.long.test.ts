/** A server process under load gives no wrong answer and leaks neither memory nor handles. */
import { expect, onTestFinished, test } from 'vitest';
import { BUCKET, IN_MEMORY, WITH_DATA } from '../../bench/load/candidates.ts';
import { Client } from '../../bench/load/client.ts';
import { checkFolder } from '../../bench/load/data-folder.ts';
import { type LoadResult, runLoad } from '../../bench/load/load.ts';
import { createFiles, MIXED_SIZES } from '../../bench/load/mix.ts';
import { openHandles, residentMemory } from '../../bench/load/process-use.ts';
import { someOf } from '../amount.ts';
import { folderOfTest } from '../temporary-folder.ts';
import { ANNOUNCED, brokenGet, brokenPut, fileOf, until } from './broken-requests.ts';

const MEBIBYTE = 1024 ** 2;

/** Half of the bytes are put, so a server that leaks them grows by more than MOST_GROWTH. */
const WARM_UP = 100 * MEBIBYTE;
const LOAD = 400 * MEBIBYTE;
const MOST_GROWTH = 100 * MEBIBYTE;

const files = createFiles(MIXED_SIZES, 1);

test.each(someOf([WITH_DATA, IN_MEMORY], 2))(
  '$name under load has no errors and no leaks',
  async ({ start, hasData, sum }) => {
    const folder = folderOfTest();
    const server = await start(folder);
    onTestFinished(server.kill);
    const { port, pid } = server;
    const handles = openHandles(pid);

    const loaded = (most: number): Promise<LoadResult> =>
      runLoad({
        port,
        bucket: BUCKET,
        files,
        clients: 8,
        isOver: (_, bytes) => bytes >= most,
        sum,
      });
    expect((await loaded(WARM_UP)).errors).toEqual([]);
    const warm = residentMemory(pid);
    const [{ errors, puts, gets }] = await Promise.all([loaded(LOAD), someBreakOff(port)]);
    expect(errors).toEqual([]);
    expect(Math.min(puts.length, gets.length)).toBeGreaterThan(50);
    expect(residentMemory(pid) - warm).toBeLessThan(MOST_GROWTH);

    if (handles !== undefined) await until(() => openHandles(pid) === handles);
    expect(await server.stop()).toBe(0);
    if (hasData) await checkFolder(folder, files.length);
  },
);

/** Puts and gets whose client disconnects. */
async function someBreakOff(port: number): Promise<void> {
  const client = new Client(port);
  const key = files.at(-1)?.key ?? '';
  for (let time = 0; time < 20; time++) {
    const goneAt = performance.now() + time * 2;
    const isTime = (): boolean => performance.now() >= goneAt;
    await brokenPut(client, fileOf(BUCKET, `new ${time}`), ANNOUNCED / 2, isTime);
    await brokenGet(client, BUCKET, key, async () => undefined);
  }
  client.end();
}
