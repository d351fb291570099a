/**
 * What a copy is made of: `X-Ufile-Copy-Source: /<bucket>/<key>`.
 *
 * @module
 */
import { urlDecode } from '../../signing/index.ts';
import type { FileCall } from '../service.ts';
import type { StoredObject } from '../store/store.ts';
import { headerOf } from '../wire-request.ts';
import { isFrozen } from './object-headers.ts';
import { badRequest, refusal } from './refusal.ts';

/**
 * The object that is copied.
 *
 * The SDKs write its name raw (Go), with escapes (Python) or with its slashes escaped too (Java): where the
 * decoded name is none, the raw one counts.
 */
export async function copySource(call: FileCall): Promise<StoredObject> {
  const { service, wire } = call;
  const raw = headerOf(wire, 'X-Ufile-Copy-Source') ?? '';
  const names = [...new Set([urlDecode(raw) ?? raw, raw])].map(nameOf);
  for (const { bucket, key } of names) {
    const object = await service.store.object(bucket, key);
    if (object && isFrozen(object, service.now())) throw refusal('frozen');
    if (object) return object;
  }
  throw refusal((await isBucketKnown(call, names)) ? 'fileUnknown' : 'bucketUnknown');
}

interface Name {
  readonly bucket: string;
  readonly key: string;
}

function nameOf(source: string): Name {
  const name = source.replace(/^\//, '');
  const slash = name.indexOf('/');
  if (slash > 0) return { bucket: name.slice(0, slash), key: name.slice(slash + 1) };
  throw badRequest(
    `X-Ufile-Copy-Source is ${JSON.stringify(source)}; it has to be /<bucket>/<key>`,
  );
}

async function isBucketKnown({ service }: FileCall, names: readonly Name[]): Promise<boolean> {
  const found = await Promise.all(names.map(({ bucket }) => service.store.bucket(bucket)));
  return found.some((bucket) => bucket !== undefined);
}
