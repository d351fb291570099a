/**
 * Key pairs; all of them are made up, so a report may show them.
 *
 * @module
 */
import fc from 'fast-check';
import type { KeyPair } from '../suite/vector.ts';
import { oneOf } from './texts.ts';

/** No colon and no blank, which §5.2 writes around it, and no "@", which §5.3 contradicts itself about. */
const publicKey = oneOf('pub', 'PUB-1_x.~', 'a/b+c==', 'p%40q');

/** Beside the simple ones: with every sign of Base64, of the block of SHA-1 and longer, beyond ASCII. */
const privateKey = fc.oneof(
  { withCrossShrink: true },
  { weight: 4, arbitrary: oneOf('test-key', 'K') },
  { weight: 2, arbitrary: oneOf('test+/=key', 'a%2Bb', 'test key', '0badc0de') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(65, 64, 63, 100, 200).map((length) => 'k'.repeat(length)),
  },
  { weight: 1, arbitrary: oneOf('é', 'ключ', '鍵😀', 'é'.repeat(33)) },
);

export const keyPair: fc.Arbitrary<KeyPair> = fc.record({ publicKey, privateKey });

/** For operations that do not sign. */
export const NO_KEYS: KeyPair = { publicKey: '', privateKey: '' };
