/**
 * Requests whose client disconnects before they end.
 *
 * @module
 */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked, Client } from '../../bench/load/client.ts';
import { DEVELOPMENT_KEYS } from '../../reference/server/options.ts';
import type { Store } from '../../reference/server/store/store.ts';
import { formAuthorization, SPECIFICATION } from '../../reference/signing/index.ts';

/** The announced length of an upload, without the head of a form. */
export const ANNOUNCED: number = 2 * 1024 ** 2;

/** How many of these bytes are sent. */
export const SENT: readonly number[] = [1, 70_000, ANNOUNCED / 2, ANNOUNCED - 1];

/** An upload, with the head of its body, which comes before the bytes of the file. */
export interface Bringing {
  readonly asked: Asked;
  readonly head: string;
}

export const fileOf = (bucket: string, key: string): Bringing => ({
  asked: { bucket, key, method: 'PUT' },
  head: '',
});

export const partOfUpload = (bucket: string, key: string, id: string): Bringing => ({
  asked: { bucket, key, method: 'PUT', query: `uploadId=${id}&partNumber=0` },
  head: '',
});

export function formOf(bucket: string, key: string): Bringing {
  const headers = [['Content-Type', 'multipart/form-data; boundary=b']] as const;
  const field = (name: string, value: string): string =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const { authorization } = formAuthorization(
    { bucket, key, headers, fields: [] },
    DEVELOPMENT_KEYS,
    SPECIFICATION,
  );
  return {
    asked: { bucket, method: 'POST', headers },
    head: `${field('FileName', key)}${field('Authorization', authorization)}--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n`,
  };
}

/** A store that counts what it receives. */
export interface Watched {
  readonly store: Store;
  /** The bytes of all contents so far. */
  readonly arrived: () => number;
  /** The number of contents that failed after some of their bytes. */
  readonly brokenOff: () => number;
}

export function watched(store: Store): Watched {
  let arrived = 0;
  let brokenOff = 0;
  const original = store.receive.bind(store);
  const receive: Store['receive'] = async (pieces, wanted) => {
    let own = 0;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces) {
        yield piece;
        own += piece.length;
        arrived += piece.length;
      }
    };
    try {
      return await original(counted(), wanted);
    } catch (error) {
      if (own > 0) brokenOff += 1;
      throw error;
    }
  };
  return {
    store: Object.assign(store, { receive }),
    arrived: () => arrived,
    brokenOff: () => brokenOff,
  };
}

/** Sends `sent` bytes of the announced body, waits until `isTime`, and disconnects. */
export async function brokenPut(
  client: Client,
  { asked, head }: Bringing,
  sent: number,
  isTime: () => boolean | Promise<boolean>,
): Promise<void> {
  const body = { length: head.length + ANNOUNCED, pieces: [] };
  const { outgoing, response } = client.begin({ ...asked, body });
  outgoing.write(Buffer.concat([Buffer.from(head), Buffer.alloc(sent, 'broken off')]));
  await Promise.race([until(isTime), response.then(refused)]);
  outgoing.destroy();
  await response.catch(() => undefined);
}

async function refused(response: IncomingMessage): Promise<never> {
  throw new Error(`answered too soon: ${response.statusCode} ${await text(response)}`);
}

/** Reads the first bytes of a file, calls `meanwhile`, and disconnects. */
export async function brokenGet(
  client: Client,
  bucket: string,
  key: string,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  const { outgoing, response } = client.begin({ bucket, key, method: 'GET' });
  outgoing.end();
  const incoming = await response;
  await once(incoming, 'data');
  incoming.pause();
  await meanwhile();
  incoming.on('error', () => {}).destroy();
}

/** Waits until the condition holds; throws after 10 minutes. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const from = performance.now(); !(await isSo()); await sleep(2)) {
    if (performance.now() - from > 600_000) throw new Error(`${isSo} is not so after 10 min`);
  }
}
