/**
 * Requests at the limits of the service, which must be accepted, and beyond them, which must be answered.
 *
 * @module
 */
import type { Pair } from '../../../reference/signing/index.ts';
import type { Input, Vector } from '../../engine/vector.ts';
import {
  type Claim,
  createVector,
  expectAnswer,
  expectRefusal,
  signInput,
  type Target,
} from './probe-vectors.ts';
import { changeCharacter } from './replays.ts';

/** In bytes of UTF-8, by the service's documentation. */
const LONGEST_KEY = 1023;

/** For all metadata of a file together, in bytes, by the same documentation. */
const LONGEST_METADATA = 8192;

const HEADER = 'verify-authorization';

/** A correct request that must be accepted, one that must be answered, or one with a wrong signature that must be refused. */
type Limit = readonly [
  verb: 'accepts' | 'answers' | 'refuses',
  name: string,
  request: Input,
  why: string,
];

const COMPARED = 'A long request is no reason to skip the comparison.';

function listKeyLimits(target: Target): readonly Limit[] {
  const longest = withKey('k'.repeat(LONGEST_KEY), target);
  const wide = withKey('鍵'.repeat(341), target);
  const tooLong = withKey('k'.repeat(LONGEST_KEY + 1), target);
  const whyTooLong = 'One byte more than the service documents must not break a server.';
  return [
    ['accepts', 'a-key-of-1023-bytes', longest, 'A key has 1 to 1023 bytes.'],
    [
      'accepts',
      'a-key-of-1023-bytes-in-characters-of-three',
      wide,
      'The limit counts bytes, not characters.',
    ],
    ['refuses', 'a-wrong-signature-of-a-key-of-1023-bytes', longest, COMPARED],
    ['answers', 'a-key-of-1024-bytes', tooLong, whyTooLong],
  ];
}

function listMetadataLimits(target: Target): readonly Limit[] {
  const longest = withMetadata([LONGEST_METADATA - 200], target);
  const tooLong = withMetadata([65_536], target);
  const many = withMetadata(new Array(200).fill(8), target);
  const whyMany =
    'Some servers drop headers beyond a maximum number, and then verify another text.';
  return [
    ['accepts', 'metadata-of-eight-kilobytes', longest, 'The service documents 8 KB of metadata.'],
    ['refuses', 'a-wrong-signature-of-eight-kilobytes-of-metadata', longest, COMPARED],
    [
      'answers',
      'metadata-of-sixty-four-kilobytes',
      tooLong,
      'Very long headers must not break a server.',
    ],
    ['answers', 'two-hundred-headers', many, whyMany],
  ];
}

export function createLimitVectors(target: Target): readonly Vector[] {
  const limits = [...listKeyLimits(target), ...listMetadataLimits(target)];
  return limits.flatMap((limit) => createLimitVector(limit, target) ?? []);
}

function createLimitVector([verb, name, request, why]: Limit, target: Target): Vector | undefined {
  const signed = signInput(HEADER, request, target);
  const id = `limits/${verb}-${name}`;
  const claim: Claim = { id, rules: ['5/match-accepted'], level: 'observed', why };
  const { publicKey } = target.keys;
  switch (verb) {
    case 'accepts':
      return { ...createVector(HEADER, claim, signed, target), expect: { publicKey } };
    case 'answers':
      return expectAnswer(HEADER, claim, signed, target);
    case 'refuses': {
      const refused = { ...claim, rules: ['5/mismatch-refused'] };
      return expectRefusal(HEADER, refused, signed, changeSignature(signed), target);
    }
  }
}

/** Changes the last character of the signature: all else would change what the limit is about. */
function changeSignature(signed: Input): Input {
  const { headers = [] } = signed;
  const changed = headers.map(
    ([name, value]): Pair => [
      name,
      name === 'Authorization' ? changeCharacter(value, value.length - 2) : value,
    ],
  );
  return { ...signed, headers: changed };
}

function withKey(key: string, { bucket }: Target): Input {
  return { method: 'GET', bucket, key, headers: [] };
}

/** A header of metadata for each size. */
function withMetadata(sizes: readonly number[], { bucket, dialect }: Target): Input {
  const headers = sizes.map(
    (size, i): Pair => [`${dialect.headerPrefix}Meta-N${i}`, 'm'.repeat(size)],
  );
  return { method: 'GET', bucket, key: 'limits/metadata.txt', headers };
}
