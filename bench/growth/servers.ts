/**
 * How the server grows: with connections, with the parts of an upload, and with the keys of a bucket.
 *
 * @module
 */

import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { openDurableStore } from '../../reference/server/store/durable-store.ts';
import type { Store } from '../../reference/server/store/store.ts';
import { SPECIFICATION } from '../../reference/signing/index.ts';
import { hasMembers, isList, type Members, parseJson } from '../../reference/values.ts';
import { BUCKET, type Candidate, IN_MEMORY, WITH_DATA } from '../load/candidates.ts';
import { Client, type Reply } from '../load/client.ts';
import { median } from '../load/figures.ts';
import { peakOwnMemory } from '../load/process-use.ts';
import { prepareRequest, RawConnection } from '../load/raw-client.ts';
import { type Serving, servingProgram } from '../load/serving.ts';
import { type Curve, type Point, sizesUpTo } from './curve.ts';

const MIB = 1024 ** 2;
const KIBIBYTE = 1024;

/** Ends the server, even if the work fails. */
async function measureServer(
  size: number,
  start: Candidate['start'],
  folder: string,
  work: (server: Serving) => Promise<number>,
): Promise<Point> {
  const server = await start(folder);
  try {
    const milliseconds = await work(server);
    return { size, milliseconds, mebibytes: peakOwnMemory(server.pid) / MIB };
  } finally {
    await server.kill();
  }
}

/** Of each connection: a put and a get in turn. */
const REQUESTS = 200;
const WARM_UP = 5000;

const CONNECTIONS: readonly number[] = [1, 4, 16, 64, 256];

async function sendRequests(port: number, connections: number, requests: number): Promise<void> {
  const content = randomBytes(KIBIBYTE);
  const put = prepareRequest(BUCKET, 'PUT', 'key', content);
  const get = prepareRequest(BUCKET, 'GET', 'key', content);
  const work = async (): Promise<void> => {
    const connection = new RawConnection(port);
    for (let sent = 0; sent < requests; sent++) await connection.send(sent % 2 === 0 ? put : get);
    connection.end();
  };
  await Promise.all(Array.from({ length: connections }, work));
}

async function* measureConnections(largest: number, folder: string): AsyncGenerator<Point> {
  for (const connections of sizesUpTo(largest, CONNECTIONS)) {
    yield measureServer(connections, IN_MEMORY.start, folder, async ({ port }) => {
      await sendRequests(port, 1, WARM_UP);
      return timed(() => sendRequests(port, connections, REQUESTS));
    });
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

export const SERVED_CONNECTIONS: Curve = {
  name: 'connections',
  sizes: 'connections',
  time: `${REQUESTS} requests of 1 KiB on each at once`,
  memory: 'peak of serve without mapped files',
  measure: measureConnections,
};

const PARTS: readonly number[] = [1, 10, 100, 1000, 10_000];
/** Parts that are sent at the same time. */
const PARTS_AT_ONCE = 8;
const SMALL_BLOCKS_SERVER = fileURLToPath(
  new URL('../load/small-blocks-server.js', import.meta.url),
);

async function checkStatus(reply: Promise<Reply>): Promise<Reply> {
  const { status, bytes } = await reply;
  if (status !== 200) throw new Error(`the answer is ${status} ${bytes.toString('utf8')}`);
  return reply;
}

/** The members of the JSON object in a reply. */
function parseMembers({ bytes }: Reply): Members {
  const value = parseJson(bytes.toString('utf8'));
  return hasMembers(value) ? value : {};
}

async function upload(client: Client, key: string, parts: number): Promise<void> {
  const ask = (method: string, query: string, body?: Uint8Array): Promise<Reply> =>
    checkStatus(client.ask({ bucket: BUCKET, key, method, query, ...(body && { body }) }));
  const begun = await ask('POST', 'uploads');
  const { UploadId: id } = parseMembers(begun);
  const content = randomBytes(KIBIBYTE);
  const etags: string[] = [];
  let next = 0;
  const send = async (): Promise<void> => {
    for (let number = next++; number < parts; number = next++) {
      etags[number] = (await ask('PUT', `uploadId=${id}&partNumber=${number}`, content)).etag;
    }
  };
  await Promise.all(Array.from({ length: PARTS_AT_ONCE }, send));
  await ask('POST', `uploadId=${id}`, Buffer.from(etags.join(',')));
}

async function* measureParts(largest: number, folder: string): AsyncGenerator<Point> {
  const start = (): Promise<Serving> => servingProgram([SMALL_BLOCKS_SERVER]);
  for (const parts of sizesUpTo(largest, PARTS)) {
    yield measureServer(parts, start, folder, async ({ port }) => {
      const client = new Client(port);
      await upload(client, 'warm up', KIBIBYTE);
      const took = await timed(() => upload(client, 'measured', parts));
      client.end();
      return took;
    });
  }
}

export const UPLOADED_PARTS: Curve = {
  name: 'parts',
  sizes: 'parts of an upload, 1 KiB each, in blocks of 1 KiB',
  time: 'from the first request to the finished file',
  memory: 'peak of the server without mapped files',
  measure: measureParts,
};

const KEYS: readonly number[] = [100, 1000, 10_000, 100_000, 1_000_000];
/** Keys that share a prefix, so that each list has as many. */
const LISTED = 100;
const LISTS = 200;
/** Objects that are put at the same time, and so share a sync. */
const PUT_AT_ONCE = 5000;

const keyOf = (number: number): string =>
  `${String(Math.floor(number / LISTED)).padStart(8, '0')}/${number % LISTED}`;

async function putKey(store: Store, number: number): Promise<void> {
  const content = [Buffer.from(`content ${number}`)];
  const { id, etag, size } = await store.receive(content, { partEtag: false, md5: false });
  await store.putObject({
    bucket: BUCKET,
    key: keyOf(number),
    etag,
    size,
    contentType: 'text/plain',
    storageClass: 'STANDARD',
    meta: [],
    tags: [],
    acl: 'default',
    createTime: 0,
    modifyTime: 0,
    contents: [{ id, size }],
  });
}

/** Puts keys without a server, which would take minutes. */
async function addKeys(folder: string, from: number, to: number): Promise<void> {
  const store = await openDurableStore(folder, { context: SPECIFICATION });
  for (let first = from; first < to; first += PUT_AT_ONCE) {
    const count = Math.min(PUT_AT_ONCE, to - first);
    await Promise.all(Array.from({ length: count }, (_, i) => putKey(store, first + i)));
  }
  await store.close();
}

/** The median time of a list of a prefix, each time of another one. */
async function timeLists(port: number, keys: number): Promise<number> {
  const client = new Client(port);
  const times: number[] = [];
  for (let list = 0; list < LISTS; list++) {
    const prefix = keyOf(Math.floor((list * keys) / LISTS)).replace(/\/.*/, '/');
    const query = `list&limit=${LISTED}&prefix=${prefix}`;
    const ask = (): Promise<Reply> =>
      checkStatus(client.ask({ bucket: BUCKET, method: 'GET', query }));
    const from = performance.now();
    const reply = await ask();
    times.push(performance.now() - from);
    const { DataSet: files } = parseMembers(reply);
    const count = isList(files) ? files.length : 0;
    if (count !== LISTED) throw new Error(`${prefix} has ${count} files`);
  }
  client.end();
  return median(times);
}

async function* measureKeys(largest: number, folder: string): AsyncGenerator<Point> {
  const start = WITH_DATA.start;
  await (await start(folder)).stop(); // It creates the bucket.
  let added = 0;
  for (const keys of sizesUpTo(largest, KEYS)) {
    await addKeys(folder, added, keys);
    added = keys;
    yield measureServer(keys, start, folder, ({ port }) => timeLists(port, keys));
  }
}

export const LISTED_KEYS: Curve = {
  name: 'keys',
  sizes: 'keys of a bucket',
  time: `a list of a prefix with ${LISTED} keys (serve --data)`,
  memory: 'peak of serve without mapped files; it checks all records at its start',
  measure: measureKeys,
};
