import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ListRange } from '../../reference/server/store/entries.ts';
import type { Store } from '../../reference/server/store/store.ts';
import { compareBytes } from '../../reference/signing/bytes.ts';
import { bucketNamed, describeEachStore, objectNamed, uploadNamed } from './stores.ts';

const NO_CONTENT = { id: '', size: 0, etag: 'none', partEtag: '', md5: '' };

/** Few characters, so that keys share prefixes; some of them sort differently in UTF-16. */
const key = fc
  .array(fc.constantFrom('a', 'b', '/', '\0', '\u0001', '"', '\uFFFD', '\u{10000}', '\u{10FFFF}'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((characters) => characters.join(''));

const range = fc.record({
  prefix: fc.oneof(fc.constant(''), key),
  after: fc.oneof(fc.constant(''), key),
  limit: fc.nat(6),
});

const keys = fc.uniqueArray(key, { maxLength: 12 });

/** The expected list. */
function within(sorted: readonly string[], { prefix, after, limit }: ListRange): readonly string[] {
  return sorted
    .filter((name) => name.startsWith(prefix) && compareBytes(name, after) > 0)
    .slice(0, limit);
}

let buckets = 0;

/** A new bucket, and two with similar names and the same objects and uploads. */
async function filled(store: Store, names: readonly string[]): Promise<string> {
  const bucket = `b${++buckets}`;
  for (const name of [bucket, `${bucket}-`, `${bucket}z`]) {
    await store.createBucket(bucketNamed(name));
    for (const own of names) {
      await store.putObject({ ...objectNamed(name, own, NO_CONTENT), contents: [] });
      await store.createUpload(
        uploadNamed(`${name}-${Buffer.from(own).toString('hex')}`, name, own),
      );
    }
  }
  return bucket;
}

describeEachStore((open) => {
  test('lists have the keys of their range in byte order', async () => {
    const store = await open();
    await fc.assert(
      fc.asyncProperty(keys, range, async (names, wanted) => {
        const bucket = await filled(store, names);
        const expected = within(names.toSorted(compareBytes), wanted);
        const objects = await store.objects(bucket, wanted);
        expect(objects.map((object) => object.key)).toEqual(expected);
        const uploads = await store.uploads(bucket, wanted);
        expect(uploads.map((upload) => upload.key)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  test('the pages of a list together have every key once', async () => {
    const store = await open();
    await fc.assert(
      fc.asyncProperty(keys, fc.integer({ min: 1, max: 4 }), async (names, limit) => {
        const bucket = await filled(store, names);
        const seen: string[] = [];
        for (let after = ''; ; ) {
          const page = await store.objects(bucket, { prefix: '', after, limit });
          seen.push(...page.map((object) => object.key));
          const last = page.at(-1);
          if (!last) break;
          after = last.key;
        }
        expect(seen).toEqual(names.toSorted(compareBytes));
      }),
      { numRuns: 20 },
    );
  });
});
