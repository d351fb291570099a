import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hexadecimal } from '../../reference/signing/bytes.ts';
import * as node from '../../reference/signing/digest/node.ts';
import * as portable from '../../reference/signing/digest/portable.ts';
import { always } from '../properties.ts';

const bytes = fc.uint8Array({ maxLength: 300 });

test('the portable SHA-1 equals that of Node', () => {
  fc.assert(
    fc.property(bytes, (data) => {
      expect([...portable.sha1(data)]).toEqual([...node.sha1(data)]);
    }),
    { examples: [[new Uint8Array()]] },
  );
});

test('the portable HMAC-SHA1 equals that of Node, for keys of any length', () => {
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

test('the SHA-1 of pieces equals the SHA-1 of the whole, in both digests', () => {
  always([fc.array(bytes)], (pieces) => {
    const hashes = [node.sha1Hash(), portable.sha1Hash()];
    for (const [at, piece] of pieces.entries()) {
      for (const hash of hashes) hash.update(piece);
      const whole = node.sha1(Buffer.concat(pieces.slice(0, at + 1)));
      for (const hash of hashes) expect([...hash.digestSoFar()]).toEqual([...whole]);
    }
    const [a, b] = hashes.map((hash) => [...hash.digest()]);
    expect(a).toEqual(b);
  });
});

const wellFormed = fc.oneof(
  fc.string({ unit: 'binary' }),
  // Around the length up to which the bytes of texts share a pool.
  fc.integer({ min: 1300, max: 1400 }).map((length) => 'ü'.repeat(length)),
);

test('both digests encode texts to the same bytes, which later texts do not change', () => {
  always([fc.array(wellFormed, { maxLength: 50 })], (texts) => {
    const bytesOfTexts = texts.map(node.utf8);
    for (const [at, text] of texts.entries()) {
      expect(hexadecimal(bytesOfTexts[at] as Uint8Array)).toBe(hexadecimal(portable.utf8(text)));
    }
  });
});

test('the digest of a text is the digest of its bytes', () => {
  fc.assert(
    fc.property(wellFormed, wellFormed, (key, text) => {
      for (const digest of [node, portable]) {
        const [keyBytes, textBytes] = [portable.utf8(key), portable.utf8(text)];
        expect(digest.sha1OfText(text)).toBe(hexadecimal(digest.sha1(textBytes)));
        expect(digest.hmacSha1OfText(key, text)).toBe(
          hexadecimal(digest.hmacSha1(keyBytes, textBytes)),
        );
      }
    }),
    {
      examples: [
        ['', ''],
        ['k'.repeat(64), 'text'],
        ['k'.repeat(65), 'text'],
      ],
    },
  );
});
