/**
 * The actions on buckets (§4.1, §4.2), and the rules of their parameters.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import { ownerFor, ownsBucket, type Service } from '../authentication/service.ts';
import { type ActionErrorName, actionError } from '../messages/errors.ts';
import type { Bucket, StorageClass, StoredObject } from '../store/entries.ts';
import type { Store } from '../store/store.ts';

interface ParameterRule {
  readonly name: string;
  readonly isRequired?: true;
  /** The default, for a missing or empty parameter. */
  readonly otherwise?: string;
  readonly allows?: RegExp;
  /** The error for a value that is not allowed; without it, `parameterWrong`. */
  readonly error?: ActionErrorName;
}

export type Values = ReadonlyMap<string, string>;

/** The value of each parameter; empty if it is missing. */
export type CheckedValues = Readonly<Record<string, string>>;

export interface Action {
  readonly name: string;
  readonly parameters: readonly ParameterRule[];
  /** The members of the answer besides RetCode and Action. */
  readonly answer: (values: CheckedValues, service: Service) => Promise<object>;
}

/** A bucket name is a label of a host. */
const BUCKET_NAME: ParameterRule = {
  name: 'BucketName',
  isRequired: true,
  allows: /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/,
  error: 'nameIllegal',
};

const { isRequired: _, ...OPTIONAL_BUCKET_NAME } = BUCKET_NAME;

const TYPE: ParameterRule = { name: 'Type', allows: /^(?:public|private)$/, error: 'typeIllegal' };

const PROJECT: ParameterRule = { name: 'ProjectId' };
const OFFSET: ParameterRule = { name: 'Offset', otherwise: '0', allows: /^[0-9]{1,9}$/ };
const LIMIT: ParameterRule = { name: 'Limit', otherwise: '20', allows: /^[0-9]{1,9}$/ };

/** The most buckets of a list; the real service publishes no limit. */
const MOST_ROWS = 1000;

const rowLimit = (text: string | undefined): number => Math.min(Number(text), MOST_ROWS);

/** In characters. */
const LONGEST_VALUE = 1024;

/** Checks the parameters of an action. Ignores parameters without a rule, although they are signed. */
export function checkValues(rules: readonly ParameterRule[], given: Values): CheckedValues {
  checkNames(rules, given);
  const values = rules.map(({ name, isRequired, otherwise = '', allows, error }) => {
    const value = given.get(name) || otherwise;
    if (value === '' && isRequired) throw actionError('parameterMissing', name);
    if (value.length <= LONGEST_VALUE && (value === '' || !allows || allows.test(value))) {
      return [name, value] as const;
    }
    throw error ? actionError(error, JSON.stringify(value)) : actionError('parameterWrong', name);
  });
  return Object.fromEntries(values);
}

/**
 * Refuses a parameter name that may contain another parameter.
 *
 * §5.1 signs names and values without separators: `BucketNamedemoLimit=5` has the signature of
 * `BucketName=demo&Limit=5`, and would describe all buckets.
 */
function checkNames(rules: readonly ParameterRule[], given: Values): void {
  const known = ['Action', 'PublicKey', ...rules.map(({ name }) => name)];
  const hiding = [...given.keys()].find(
    (name) => !known.includes(name) && known.some((one) => name.includes(one)),
  );
  if (hiding !== undefined) throw actionError('parameterWrong', hiding);
}

/** A bucket of another account gets the same error as one that does not exist. */
async function findBucket(
  { BucketName = '' }: CheckedValues,
  { store, accounts, actor }: Service,
): Promise<Bucket> {
  const bucket = await store.bucket(BucketName);
  if (!bucket || !ownsBucket(accounts, bucket, actor))
    throw actionError('bucketUnknown', JSON.stringify(BucketName));
  return bucket;
}

/** §4.1 requires Type, which SDKs leave out; they send a Region, which §4.1 does not have. */
export const createBucket: Action = {
  name: 'CreateBucket',
  parameters: [
    BUCKET_NAME,
    { ...TYPE, otherwise: 'private' },
    { name: 'Region', allows: /^[a-z0-9-]{1,63}$/ },
    { name: 'Tag' },
    PROJECT,
  ],
  answer: async ({ BucketName = '', Type, Region, Tag = '' }, service) => {
    const { store, now, region, accounts, actor } = service;
    const owner = ownerFor(accounts, actor);
    const bucket: Bucket = {
      name: BucketName,
      id: `ufile-${randomUUID().slice(0, 8)}`,
      type: Type === 'public' ? 'public' : 'private',
      region: Region || region,
      tag: Tag,
      storageClass: 'STANDARD',
      createTime: now(),
      modifyTime: now(),
      ...(owner !== undefined && { owner }),
    };
    if ((await store.createBucket(bucket)) === 'taken') {
      throw actionError('nameTaken', JSON.stringify(BucketName));
    }
    return { BucketName, BucketId: bucket.id };
  },
};

export const describeBucket: Action = {
  name: 'DescribeBucket',
  parameters: [OPTIONAL_BUCKET_NAME, { name: 'Region' }, OFFSET, LIMIT, PROJECT],
  answer: async (values, service) => {
    const { BucketName = '', Region = '', Offset, Limit } = values;
    const { accounts, actor, store } = service;
    const isNamed = BucketName !== '';
    const buckets = isNamed ? [await findBucket(values, service)] : await store.buckets();
    const listed = buckets.filter(
      (bucket) =>
        (Region === '' || bucket.region === Region) && ownsBucket(accounts, bucket, actor),
    );
    // With a name, Offset and Limit are ignored.
    const page = isNamed ? listed : listed.slice(Number(Offset), Number(Offset) + rowLimit(Limit));
    return { DataSet: page.map(bucketRow) };
  },
};

/** A bucket in the form that the SDKs decode. User domains and content delivery are not implemented. */
function bucketRow(bucket: Bucket): object {
  return {
    BucketName: bucket.name,
    BucketId: bucket.id,
    Type: bucket.type,
    Region: bucket.region,
    StorageClass: bucket.storageClass,
    CreateTime: bucket.createTime,
    ModifyTime: bucket.modifyTime,
    Biz: 'general',
    Tag: bucket.tag,
    HasUserDomain: 0,
    CdnDomainId: [],
    Domain: { Src: [], Cdn: [], CustomSrc: [], CustomCdn: [] },
  };
}

const CLASSES: readonly StorageClass[] = ['STANDARD', 'IA', 'ARCHIVE'];

export const updateBucket: Action = {
  name: 'UpdateBucket',
  parameters: [
    BUCKET_NAME,
    TYPE,
    { name: 'StorageClass', allows: /^(?:STANDARD|IA|ARCHIVE)$/ },
    PROJECT,
  ],
  answer: async (values, service) => {
    const bucket = await findBucket(values, service);
    const { Type, StorageClass: wanted } = values;
    const storageClass = CLASSES.find((one) => one === wanted) ?? bucket.storageClass;
    const type = Type === 'public' || Type === 'private' ? Type : bucket.type;
    const changed = { ...bucket, type, storageClass, modifyTime: service.now() };
    if ((await service.store.updateBucket(changed)) === 'unknown') {
      throw actionError('bucketUnknown', JSON.stringify(bucket.name));
    }
    return { BucketName: bucket.name, BucketId: bucket.id };
  },
};

export const deleteBucket: Action = {
  name: 'DeleteBucket',
  parameters: [BUCKET_NAME, PROJECT],
  answer: async (values, service) => {
    const { name, id } = await findBucket(values, service);
    const result = await service.store.deleteBucket(name);
    if (result === 'unknown') throw actionError('bucketUnknown', JSON.stringify(name));
    if (result === 'not empty') throw actionError('bucketNotEmpty', JSON.stringify(name));
    return { BucketName: name, BucketId: id };
  },
};

/** The number of keys that are read at a time until the offset. */
const STRIDE = 1000;

export const getFileList: Action = {
  name: 'GetFileList',
  parameters: [BUCKET_NAME, OFFSET, LIMIT, PROJECT],
  answer: async (values, service) => {
    const { name, id } = await findBucket(values, service);
    const { Offset, Limit } = values;
    const start = await keyBefore(service.store, name, Number(Offset));
    const range = { prefix: '', after: start ?? '', limit: rowLimit(Limit) };
    const objects = start === undefined ? [] : await service.store.objects(name, range);
    return { BucketName: name, BucketId: id, DataSet: objects.map(fileRow) };
  },
};

/** The key before the page; undefined if the offset is beyond the last key. */
async function keyBefore(
  store: Store,
  bucket: string,
  offset: number,
): Promise<string | undefined> {
  let after = '';
  for (let left = offset; left > 0; left -= STRIDE) {
    const limit = Math.min(left, STRIDE);
    const objects = await store.objects(bucket, { prefix: '', after, limit });
    const last = objects.at(-1);
    if (!last || objects.length < limit) return undefined;
    after = last.key;
  }
  return after;
}

const fileRow = (object: StoredObject): object => ({
  BucketName: object.bucket,
  FileName: object.key,
  Hash: object.etag,
  MimeType: object.contentType,
  Size: object.size,
  CreateTime: object.createTime,
  ModifyTime: object.modifyTime,
});
