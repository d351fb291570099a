/**
 * What the store has after a start: the buckets of the options, and the files of folders.
 *
 * @module
 */

import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { mediaType } from '../media-types.ts';
import { describeSystemError } from '../system-errors.ts';
import { type CheckedValues, checkValues, createBucket } from './actions/buckets.ts';
import type { Service } from './authentication/service.ts';
import { checkKey, newObject, wholeContent } from './files/new-object.ts';
import { ACTION_ERRORS, ServiceError } from './messages/errors.ts';
import { type BucketSeed, type FolderSeed, type ServerOptions, StartError } from './options.ts';
import type { Bucket } from './store/entries.ts';

/** Creates the buckets that do not exist yet, and puts the files of the folders into theirs. */
export async function createStartingState(
  service: Service,
  { accounts = [], buckets = [], folders = [] }: ServerOptions,
): Promise<void> {
  await createBuckets(service, buckets);
  for (const { publicKey, buckets: own = [] } of accounts) {
    await createBuckets(service, own, publicKey);
  }
  for (const folder of folders) await loadFolder(service, folder);
}

async function createBuckets(
  service: Service,
  seeds: readonly BucketSeed[],
  actor = service.accounts[0]?.publicKey,
): Promise<void> {
  for (const { name, type = 'private' } of seeds) {
    const values = seedValues(name, type);
    if (await service.store.bucket(name)) continue;
    await createBucket.answer(values, { ...service, ...(actor !== undefined && { actor }) });
  }
}

/** The error of the service does not say what a legal name is, so the StartError does. */
function seedValues(name: string, type: string): CheckedValues {
  try {
    const given = new Map(Object.entries({ BucketName: name, Type: type }));
    return checkValues(createBucket.parameters, given);
  } catch (error) {
    const { code } = ACTION_ERRORS.nameIllegal;
    if (!(error instanceof ServiceError) || error.code !== code) throw error;
    throw new StartError(
      `${error.message}; use 3 to 63 lower-case letters, digits and hyphens, without a hyphen at either end`,
    );
  }
}

async function loadFolder(service: Service, { folder, bucket: name }: FolderSeed): Promise<void> {
  await createBuckets(service, [{ name }]);
  const bucket = await service.store.bucket(name);
  if (!bucket) return;
  for (const path of await listFiles(folder)) {
    try {
      await loadFile(service, bucket, path, relative(folder, path).replaceAll(sep, '/'));
    } catch (error) {
      const why = error instanceof ServiceError ? error.message : describeSystemError(error);
      throw new StartError(
        `the file ${JSON.stringify(path)} cannot be loaded into bucket ${name}: ${why}; make it readable, or take it out of the folder`,
      );
    }
  }
}

/** The regular files below the folder, in the order of their names. Links to files count, links to folders do not. */
async function listFiles(folder: string): Promise<readonly string[]> {
  try {
    return (await listFilesBelow(folder)).toSorted();
  } catch (error) {
    throw new StartError(
      `the folder ${JSON.stringify(folder)} cannot be loaded: ${describeSystemError(error)}; name a folder with the files of a bucket`,
    );
  }
}

/** Without the option `recursive` of `readdir`, which from Node 26 on also follows links to folders. */
async function listFilesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return listFilesBelow(path);
      const isFile = entry.isFile() || (entry.isSymbolicLink() && (await stat(path)).isFile());
      return isFile ? [path] : [];
    }),
  );
  return found.flat();
}

async function loadFile(
  service: Service,
  bucket: Bucket,
  path: string,
  key: string,
): Promise<void> {
  checkKey(key);
  const { store } = service;
  const content = await store.receive(createReadStream(path), { partEtag: false, md5: false });
  const { storageClass } = bucket;
  const properties = { contentType: mediaType(key), storageClass, meta: [] };
  await store.putObject(newObject({ service, bucket }, key, properties, wholeContent(content)));
}
