/**
 * Contents around the sizes at which an ETag changes its form (§2).
 *
 * @module
 */
import fc from 'fast-check';
import type { Content } from '../../../reference/contents.ts';
import type { Input } from '../../engine/vector.ts';

const MIB = 1024 * 1024;

/** Bytes that change, or end the file, if an adapter reads it as text. */
const telling = fc.constantFrom(
  'a\r\nb',
  'a\n',
  '\n',
  '\r',
  'a\0b',
  '\x1a',
  '\xef\xbb\xbfa',
  '\xe9',
);

const small = fc
  .oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: fc.uint8Array({ maxLength: 70 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: telling.map((text) => Buffer.from(text, 'latin1')) },
  )
  .map((bytes) => ({ bytes: bytes.toString('base64') }));

/** Contents with sizes around the block size; few, because each is written and hashed in full. */
const large = fc
  .tuple(fc.constantFrom(4 * MIB, 4 * MIB + 1, 4 * MIB - 1, 8 * MIB, 8 * MIB + 1), fc.boolean())
  .map(([size, isMarked]) => ({
    recipe: {
      size,
      ...(isMarked && {
        marks: [[0, 'first'] as const, [4 * MIB - 2, 'over the end'] as const],
      }),
    },
  }));

export const content: fc.Arbitrary<Input> = fc.record({
  content: fc.oneof<fc.MaybeWeightedArbitrary<Content>[]>(
    { withCrossShrink: true },
    { weight: 9, arbitrary: small },
    { weight: 1, arbitrary: large },
  ),
});
