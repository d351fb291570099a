/**
 * Reads everything that a server holds, as a client.
 *
 * @module
 */
import type { Asked, Client } from '../../../bench/load/client.ts';
import { bytesOf, type Entries, etagOf, partEtagOf, SHARED } from './lane.ts';

/** The names and ETags of one lane. */
export interface Found {
  readonly buckets: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** The key, and the ETags of its parts. */
  readonly upload: readonly [key: string, ...parts: string[]] | undefined;
}

/** What the server must hold for these entries. */
export function promised({ buckets, files, upload }: Entries): Found {
  return {
    buckets: [...buckets].sort(),
    files: Object.fromEntries(
      Object.entries(files).map(([name, texts]) => [name, etagOf(bytesOf(texts))]),
    ),
    upload: upload && [upload.key, ...upload.parts.map((text) => partEtagOf(bytesOf([text])))],
  };
}

export const NOTHING: Found = { buckets: [], files: {}, upload: undefined };

/** What the server holds of each lane, by number. The ETags are computed from the bytes read. */
export async function found(client: Client): Promise<ReadonlyMap<string, Found>> {
  const lanes = new Map<string, Found>();
  const add = (lane: string, more: (own: Found) => Partial<Found>): void => {
    const own = lanes.get(lane) ?? NOTHING;
    lanes.set(lane, { ...own, ...more(own) });
  };
  for (const bucket of await bucketsOf(client)) {
    const owner = /^of-lane-(\d+)-\d$/.exec(bucket)?.[1];
    if (bucket !== SHARED) {
      add(owner ?? bucket, ({ buckets }) => ({ buckets: [...buckets, bucket].sort() }));
    }
    for (const [key, etag] of await filesOf(client, bucket)) {
      const name = `${bucket}/${key}`;
      add(laneOf(key), ({ files }) => ({ files: { ...files, [name]: etag } }));
    }
    for (const [key, id] of await uploadsOf(client, bucket)) {
      const parts = await partsOf(client, bucket, id);
      add(laneOf(key), ({ upload }) => ({ upload: [...(upload ?? []), key, ...parts] }));
    }
  }
  return lanes;
}

const laneOf = (key: string): string => key.split('/')[0] ?? '';

async function bucketsOf(client: Client): Promise<readonly string[]> {
  const { DataSet: buckets } = await client.act({ Action: 'DescribeBucket', Limit: '1000' });
  return (buckets as unknown as { BucketName: string }[]).map(({ BucketName: name }) => name);
}

async function filesOf(client: Client, bucket: string): Promise<ReadonlyMap<string, string>> {
  const { Contents: listed, IsTruncated: isTruncated } = await asked<{
    Contents: { Key: string; ETag: string; Size: string }[];
    IsTruncated: boolean;
  }>(client, { bucket, method: 'GET', query: 'listobjects&max-keys=1000' });
  if (isTruncated) throw new Error('more than 1000 files are more than this test looks at');
  const etags = new Map<string, string>();
  for (const { Key: key, ETag: etag, Size: size } of listed) {
    const { status, bytes, etag: said } = await client.ask({ bucket, key, method: 'GET' });
    const computed = etagOf(bytes);
    if (status !== 200 || said !== computed || etag !== computed || Number(size) !== bytes.length) {
      throw new Error(
        `${key}: ${status}, ${bytes.length} bytes with ${computed}; the answer says ${said}, the list ${etag} and ${size}`,
      );
    }
    etags.set(key, computed);
  }
  return etags;
}

/** The key and the id of each unfinished upload. */
export async function uploadsOf(
  client: Client,
  bucket: string,
): Promise<readonly (readonly [key: string, id: string])[]> {
  const { DataSet: uploads } = await asked<{
    DataSet: { UploadId: string; FileName: string }[];
  }>(client, { bucket, method: 'GET', query: 'muploadid&limit=1000' });
  return uploads.map(({ FileName: key, UploadId: id }) => [key, id]);
}

async function partsOf(client: Client, bucket: string, id: string): Promise<readonly string[]> {
  const { Parts: parts } = await asked<{ Parts: { Etag: string }[] }>(client, {
    bucket,
    method: 'GET',
    query: `muploadpart&uploadId=${id}`,
  });
  return parts.map(({ Etag: etag }) => etag);
}

async function asked<T>(client: Client, request: Asked): Promise<T> {
  const { status, bytes } = await client.ask(request);
  if (status !== 200) throw new Error(`${request.query}: ${status} ${bytes}`);
  return JSON.parse(bytes.toString('utf8'));
}
