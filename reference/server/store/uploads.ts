/**
 * Uploads in parts.
 *
 * @module
 */
import { ServiceError } from '../service-error.ts';
import { type Backing, commit, idsOf, leftOver, replacement } from './backing.ts';
import {
  bucketName,
  everyPartOf,
  objectName,
  partName,
  type Stretch,
  uploadKeyName,
  uploadName,
  uploadsWithin,
} from './record-names.ts';
import type { Change, Records } from './records.ts';
import type { Part, Store, StoredObject, Upload } from './store.ts';

type UploadStore = Pick<
  Store,
  'createUpload' | 'upload' | 'putPart' | 'parts' | 'uploads' | 'finishUpload' | 'abortUpload'
>;

/** All that goes with an upload. */
interface EndOfUpload extends Pick<StoredObject, 'contents'> {
  readonly changes: readonly Change[];
}

export function uploadStore(backing: Backing): UploadStore {
  const { records, turns } = backing;
  const read = (id: string): Promise<Upload | undefined> => records.read(uploadName(id));

  return {
    createUpload: (upload) =>
      turns.shared(bucketName(upload.bucket), async () => {
        if (!(await records.read(bucketName(upload.bucket)))) return 'unknown bucket';
        await records.commit([
          { type: 'put', key: uploadName(upload.id), value: upload },
          { type: 'put', key: uploadKeyName(upload), value: upload.id },
        ]);
        return 'created';
      }),
    upload: read,
    async putPart(uploadId, part) {
      const done = await withUpload(backing, uploadId, 'shared', () =>
        turns.alone(partName(uploadId, part), () => putPart(backing, uploadId, part)),
      );
      if (!done) await backing.leases.discard([part.content.id]);
      return done ?? 'unknown';
    },
    parts: (uploadId) => records.list(everyPartOf(uploadId)),
    uploads: (bucket, range, afterId) =>
      uploadsIn(records, uploadsWithin(bucket, range, afterId), range.limit),
    finishUpload: async (uploadId, object) =>
      (await withUpload(backing, uploadId, 'alone', (upload) =>
        // The bucket is held already: to ask for it once more would be to wait for who waits for us.
        turns.alone(objectName(object.bucket, object.key), () => finish(backing, upload, object)),
      )) ?? 'unknown',
    abortUpload: async (uploadId) =>
      (await withUpload(backing, uploadId, 'alone', async (upload) => {
        const end = await endOfUpload(records, upload);
        await commit(backing, end.changes, idsOf(end));
        return 'aborted' as const;
      })) ?? 'unknown',
  };
}

/** Does the work while the upload and its bucket stay; nothing where the upload is over. */
async function withUpload<T>(
  { records, turns }: Backing,
  id: string,
  turn: 'shared' | 'alone',
  work: (upload: Upload) => Promise<T>,
): Promise<T | undefined> {
  const known = await records.read<Upload>(uploadName(id));
  if (!known) return undefined;
  return turns.shared(bucketName(known.bucket), () =>
    turns[turn](uploadName(id), async () => {
      const upload = await records.read<Upload>(uploadName(id));
      return upload && work(upload);
    }),
  );
}

async function putPart(backing: Backing, uploadId: string, part: Part): Promise<'put'> {
  const name = partName(uploadId, part);
  const before = await backing.records.read<Part>(name);
  const discarded = before ? [before.content.id] : [];
  await commit(backing, [{ type: 'put', key: name, value: part }], discarded);
  return 'put';
}

async function finish(backing: Backing, upload: Upload, object: StoredObject): Promise<'finished'> {
  const { records } = backing;
  const end = await endOfUpload(records, upload);
  if (leftOver(object, end).length > 0) {
    throw new ServiceError(
      409,
      -1,
      `a part of upload ${upload.id} was replaced while the upload was being finished; finish it again`,
    );
  }
  const before = await records.read<StoredObject>(objectName(object.bucket, object.key));
  const changes = [...end.changes, ...replacement(before, object)];
  await commit(backing, changes, [...leftOver(end, object), ...leftOver(before, object)]);
  return 'finished';
}

/** What has to be done away with when an upload is over. */
export async function endOfUpload(records: Records, upload: Upload): Promise<EndOfUpload> {
  const parts = await records.list<Part>(everyPartOf(upload.id));
  const names = [
    uploadName(upload.id),
    uploadKeyName(upload),
    ...parts.map((part) => partName(upload.id, part)),
  ];
  return {
    changes: names.map((key) => ({ type: 'del', key })),
    contents: parts.map(({ content }) => content),
  };
}

/** The uploads that are found by their keys. */
export async function uploadsIn(
  records: Records,
  stretch: Stretch,
  limit?: number,
): Promise<readonly Upload[]> {
  const ids = await records.list<string>(stretch, limit);
  return records.readEach(ids.map(uploadName));
}
