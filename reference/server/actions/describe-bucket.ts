/**
 * DescribeBucket: one bucket by its name, or a page of all.
 *
 * @module
 */
import type { Service } from '../service.ts';
import type { Bucket } from '../store/store.ts';
import {
  type Action,
  BUCKET_NAME,
  type CheckedValues,
  LIMIT,
  namedBucket,
  OFFSET,
  PROJECT,
  rowLimit,
} from './action.ts';

const { isRequired: _, ...OPTIONAL_NAME } = BUCKET_NAME;

export const describeBucket: Action = {
  name: 'DescribeBucket',
  parameters: [OPTIONAL_NAME, { name: 'Region' }, OFFSET, LIMIT, PROJECT],
  answer: async (values, service) => {
    const buckets = await page(values, service);
    return { DataSet: buckets.map(row) };
  },
};

async function page(values: CheckedValues, service: Service): Promise<readonly Bucket[]> {
  const { BucketName = '', Region = '', Offset, Limit } = values;
  const isMeant = ({ region }: Bucket): boolean => Region === '' || region === Region;
  // Offset and Limit are ignored where a name is given.
  if (BucketName !== '') return [await namedBucket(values, service)].filter(isMeant);
  const buckets = (await service.store.buckets()).filter(isMeant);
  return buckets.slice(Number(Offset), Number(Offset) + rowLimit(Limit));
}

/** As the SDKs decode it; there are no domains of users and no content delivery here. */
function row({
  name,
  id,
  type,
  region,
  storageClass,
  tag,
  createTime,
  modifyTime,
}: Bucket): object {
  return {
    BucketName: name,
    BucketId: id,
    Type: type,
    Region: region,
    StorageClass: storageClass,
    CreateTime: createTime,
    ModifyTime: modifyTime,
    Biz: 'general',
    Tag: tag,
    HasUserDomain: 0,
    CdnDomainId: [],
    Domain: { Src: [], Cdn: [], CustomSrc: [], CustomCdn: [] },
  };
}
