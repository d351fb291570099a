/**
 * Operations of a lane on its own buckets.
 *
 * @module
 */
import type { Client, Reply } from '../../../bench/load/client.ts';
import type { Deed, Situation } from './lane.ts';

export function createBucket({ now, lane, random }: Situation): Deed | undefined {
  const name = `of-lane-${lane}-${random(3)}`;
  if (now.buckets.includes(name)) return undefined;
  return {
    becomes: { ...now, buckets: [...now.buckets, name] },
    act: (client) => acted(client, { Action: 'CreateBucket', BucketName: name, Type: 'private' }),
  };
}

export function deleteBucket({ now }: Situation): Deed | undefined {
  const files = Object.keys(now.files);
  const name = now.buckets.find((own) => !files.some((file) => file.startsWith(`${own}/`)));
  if (name === undefined) return undefined;
  return {
    becomes: { ...now, buckets: now.buckets.filter((own) => own !== name) },
    act: (client) => acted(client, { Action: 'DeleteBucket', BucketName: name }),
  };
}

/** Actions always have status 200; their RetCode says whether they succeeded. */
async function acted(client: Client, parameters: Readonly<Record<string, string>>): Promise<Reply> {
  const answer = await client.act(parameters);
  const bytes = Buffer.from(JSON.stringify(answer));
  return { status: answer['RetCode'] === 0 ? 200 : 500, etag: '', bytes };
}
