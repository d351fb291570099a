import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as node from '../../reference/signing/digest/node.ts';
import * as portable from '../../reference/signing/digest/portable.ts';

const bytes = fc.uint8Array({ maxLength: 300 });

test('both digests agree on SHA-1', () => {
  fc.assert(
    fc.property(bytes, (data) => {
      expect([...portable.sha1(data)]).toEqual([...node.sha1(data)]);
    }),
    { examples: [[new Uint8Array()]] },
  );
});

test('both digests agree on HMAC-SHA1, the empty key and keys over one block included', () => {
  fc.assert(
    fc.property(bytes, bytes, (key, data) => {
      expect([...portable.hmacSha1(key, data)]).toEqual([...node.hmacSha1(key, data)]);
    }),
    {
      examples: [
        [new Uint8Array(), new Uint8Array([1])],
        [new Uint8Array(65), new Uint8Array()],
      ],
    },
  );
});

test('both digests agree on SHA-1 fed in pieces, however they are cut', () => {
  fc.assert(
    fc.property(fc.array(bytes), (pieces) => {
      const hashes = [node.sha1Hash(), portable.sha1Hash()];
      for (const piece of pieces) for (const hash of hashes) hash.update(piece);
      const [a, b] = hashes.map((hash) => [...hash.digest()]);
      expect(a).toEqual(b);
    }),
  );
});
