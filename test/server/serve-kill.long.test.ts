/** Kills `serve --data`, starts it again, and compares what clients see. */
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Client } from '../../bench/load/client.ts';
import { createRandom, type Random } from '../../bench/load/random.ts';
import { type Serving, serveProcess, serving } from '../../bench/load/serving.ts';
import { openDurableStore } from '../../reference/server/store/durable-store.ts';
import { RUNS } from '../amount.ts';
import { SEED } from '../seed.ts';
import { folderOfTest } from '../temporary-folder.ts';
import { type Lane, newLane, SHARED } from './killed/lane.ts';
import { settled } from './killed/settled.ts';
import { writeUntilKilled } from './killed/writing.ts';
import { OPTIONS } from './stores.ts';

/** For more: `SVC_KILLS=100 npx vitest run test/server/serve-kill.long.test.ts`. */
const KILLS = Number(process.env['SVC_KILLS'] ?? (RUNS > 1 ? 6 : 2));

const LANES = 8;

async function begun(folder: string): Promise<{ server: Serving; client: Client }> {
  const server = await serving(['--data', folder, '--bucket', SHARED]);
  const client = new Client(server.port);
  onTestFinished(async () => {
    client.end();
    await server.kill();
  });
  return { server, client };
}

/** Kills a server during its start, perhaps while it removes leftovers. */
async function killedAtStart(folder: string, random: Random): Promise<void> {
  const early = serveProcess(['--data', folder]);
  const ended = once(early, 'close');
  await sleep(random(500));
  early.kill('SIGKILL');
  await ended;
}

async function survives(folder: string, lanes: readonly Lane[], random: Random): Promise<number> {
  const before = await begun(folder);
  const after = 60 + random(120);
  const acknowledged = await writeUntilKilled(before.server, before.client, lanes, {
    after,
    random,
  });
  before.client.end();
  if (random(3) === 0) await killedAtStart(folder, random);

  const next = await begun(folder);
  await settled(lanes, next.client, folder);
  next.client.end();
  expect(await next.server.stop()).toBe(0);
  return acknowledged;
}

test(
  `writes acknowledged over HTTP survive ${KILLS} kills, seed ${SEED}`,
  async () => {
    const folder = join(folderOfTest(), 'data');
    const lanes = Array.from({ length: LANES }, (_, number) => newLane(number));
    const random = createRandom(SEED);
    let acknowledged = 0;
    for (let kill = 0; kill < KILLS; kill++) acknowledged += await survives(folder, lanes, random);

    const store = await openDurableStore(folder, OPTIONS);
    const faults = await store.faults();
    await store.close();
    expect(faults).toEqual([]);
    const files = lanes.flatMap(({ was }) => Object.keys(was.files)).length;
    // A server that accepts no writes would prove nothing.
    expect(acknowledged).toBeGreaterThanOrEqual(KILLS * 60);
    expect(files).toBeGreaterThan(Math.min(KILLS * 10, 200));
    console.log(`${acknowledged} acknowledged, ${files} files, ${KILLS} kills, seed ${SEED}`);
  },
  600_000 + KILLS * 20_000,
);
