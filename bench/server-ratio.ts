/**
 * The speed of the server as a share of a bare one: `npm run build && node dist/bench/server-ratio.js [PAIRS [SECONDS [LOAD]]]`.
 *
 * Both servers run all the time and are measured in turn, so a machine that gets slower or faster changes both. Each share
 * is the median over all pairs. On a busy machine, the share of processor time is the one to trust.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BARE,
  BARE_WITH_DATA,
  BUCKET,
  type Candidate,
  IN_MEMORY,
  WITH_DATA,
} from './load/candidates.ts';
import { median, table } from './load/figures.ts';
import { MIXED_SIZES } from './load/mix.ts';
import { processorTime } from './load/process-use.ts';
import { createRandom, pick, type Random } from './load/random.ts';
import { type PreparedRequest, prepareRequest, RawConnection } from './load/raw-client.ts';
import type { Serving } from './load/serving.ts';

const PAIRS = Number(process.argv[2] ?? 7);
/** Of each measurement. */
const SECONDS = Number(process.argv[3] ?? 2);
/** Part of the name of a load; all loads by default. */
const CHOSEN = process.argv[4] ?? '';

/** Requests before the first pair. */
const WARM_UP = 10_000;
/** In bytes. */
const SMALL = 16 * 1024;

interface RatioLoad {
  readonly name: string;
  readonly candidates: readonly [bare: Candidate, server: Candidate];
  readonly connections: number;
  readonly puts: readonly PreparedRequest[];
  readonly gets: readonly PreparedRequest[];
  /** Puts of all requests. */
  readonly share: number;
}

function createLoad(
  name: string,
  candidates: RatioLoad['candidates'],
  sizes: readonly number[],
  filesOfEach: number,
  options: { readonly connections?: number; readonly share?: number } = {},
): RatioLoad {
  const random = randomBytes(Math.max(...sizes) + 1024);
  const files = sizes.flatMap((size) =>
    Array.from({ length: filesOfEach }, (_, number) => ({
      key: `${size}-${number}`,
      content: random.subarray(number % 1024, (number % 1024) + size),
    })),
  );
  return {
    name,
    candidates,
    connections: options.connections ?? 8,
    puts: files.map(({ key, content }) => prepareRequest(BUCKET, 'PUT', key, content)),
    gets: files.map(({ key, content }) => prepareRequest(BUCKET, 'GET', key, content)),
    share: options.share ?? 0.5,
  };
}

const MEMORY = [BARE, IN_MEMORY] as const;
const DISK = [BARE_WITH_DATA, WITH_DATA] as const;

const LOADS: readonly RatioLoad[] = [
  createLoad('1 KiB', MEMORY, [1024], 100),
  createLoad('1 KiB, puts', MEMORY, [1024], 100, { share: 1 }),
  createLoad('1 KiB, gets', MEMORY, [1024], 100, { share: 0 }),
  createLoad('64 KiB to 8 MiB', MEMORY, MIXED_SIZES, 3),
  createLoad('512 MiB, puts', MEMORY, [512 * 1024 ** 2], 1, { connections: 1, share: 1 }),
  createLoad('1 KiB, puts to disk', DISK, [1024], 100, { share: 1 }),
];

interface Measured {
  readonly requestsPerSecond: number;
  /** Of the server for a request, in microseconds; other programs on the machine hardly change it. */
  readonly processorTime: number;
}

/** Sends requests over connections that are kept. */
async function measure({ port, pid }: Serving, load: RatioLoad): Promise<Measured> {
  const before = processorTime(pid);
  const from = performance.now();
  const until = from + SECONDS * 1000;
  let done = 0;
  const work = async (_: unknown, number: number): Promise<void> => {
    const random: Random = createRandom(number + 1);
    const connection = new RawConnection(port);
    do {
      await connection.send(pick(random(100) < load.share * 100 ? load.puts : load.gets, random));
      done += 1;
    } while (performance.now() < until);
    connection.end();
  };
  await Promise.all(Array.from({ length: load.connections }, work));
  return {
    requestsPerSecond: (done / (performance.now() - from)) * 1000,
    processorTime: ((processorTime(pid) - before) / done) * 1000,
  };
}

async function warmUp({ port }: Serving, { puts, gets, share }: RatioLoad): Promise<void> {
  const random = createRandom(1);
  const connection = new RawConnection(port);
  for (const request of puts) await connection.send(request);
  // Enough small requests for V8 to have compiled what they need.
  for (let sent = 0; (puts[0]?.size ?? 0) < SMALL && sent < WARM_UP; sent++) {
    await connection.send(pick(sent % 100 < share * 100 ? puts : gets, random));
  }
  connection.end();
}

type Pair = readonly [bare: Measured, own: Measured];

/** Each server goes first in every second pair. */
async function measurePair(
  bare: Serving,
  own: Serving,
  load: RatioLoad,
  pair: number,
): Promise<Pair> {
  if (pair % 2 === 0) return [await measure(bare, load), await measure(own, load)];
  const ofOwn = await measure(own, load);
  return [await measure(bare, load), ofOwn];
}

async function measurePairs(load: RatioLoad, folder: string): Promise<readonly string[]> {
  const [bareCandidate, ownCandidate] = load.candidates;
  const bare = await bareCandidate.start(join(folder, 'bare'));
  const own = await ownCandidate.start(join(folder, 'own'));
  try {
    for (const server of [bare, own]) {
      await warmUp(server, load);
      await measure(server, load);
    }
    const pairs: Pair[] = [];
    for (let pair = 0; pair < PAIRS; pair++) pairs.push(await measurePair(bare, own, load, pair));
    const shares = pairs.map(
      ([ofBare, ofOwn]) => ofOwn.requestsPerSecond / ofBare.requestsPerSecond,
    );
    const inTime = pairs.map(([ofBare, ofOwn]) => ofBare.processorTime / ofOwn.processorTime);
    return [
      load.name,
      ...[0, 1].map((at) =>
        median(pairs.map((pair) => pair[at]?.requestsPerSecond ?? 0)).toFixed(1),
      ),
      median(shares).toFixed(2),
      `${Math.min(...shares).toFixed(2)} to ${Math.max(...shares).toFixed(2)}`,
      ...[0, 1].map((at) => median(pairs.map((pair) => pair[at]?.processorTime ?? 0)).toFixed(0)),
      median(inTime).toFixed(2),
    ];
  } finally {
    for (const server of [bare, own]) await server.kill();
  }
}

const HEADING = [
  `${PAIRS} pairs of ${SECONDS} s`,
  ...['bare/s', 'serve/s', 'share', 'of all pairs'],
  ...['bare CPU µs', 'serve CPU µs', 'share'],
];

for (const load of LOADS.filter(({ name }) => name.includes(CHOSEN))) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-bench-'));
  try {
    process.stdout.write(`${table(HEADING, [await measurePairs(load, folder)])}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
