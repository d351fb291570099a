/**
 * Requests at the limits of the service, which must be accepted, and beyond them, which must be answered.
 *
 * @module
 */
import type { Input, Vector } from '../../engine/vector.ts';
import {
  type Claim,
  expectAcceptance,
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

export function createLimitVectors(target: Target): readonly Vector[] {
  const accepted = (name: string, request: Input, why: string): Vector =>
    expectAcceptance(
      HEADER,
      claim(`accepts-${name}`, why),
      signInput(HEADER, request, target),
      target,
    );
  const answered = (name: string, request: Input, why: string): Vector =>
    expectAnswer(HEADER, claim(`answers-${name}`, why), signInput(HEADER, request, target), target);
  const longKey = withKey('k'.repeat(LONGEST_KEY), target);
  const metadata = withMetadata([LONGEST_METADATA - 200], target);
  return [
    accepted('a-key-of-1023-bytes', longKey, 'A key has 1 to 1023 bytes.'),
    accepted(
      'a-key-of-1023-bytes-in-characters-of-three',
      withKey('鍵'.repeat(341), target),
      'The limit counts bytes, not characters.',
    ),
    ...refuseWrongSignature('a-wrong-signature-of-a-key-of-1023-bytes', longKey, target),
    answered(
      'a-key-of-1024-bytes',
      withKey('k'.repeat(LONGEST_KEY + 1), target),
      'One byte more than the service documents must not break a server.',
    ),
    accepted('metadata-of-eight-kilobytes', metadata, 'The service documents 8 KB of metadata.'),
    ...refuseWrongSignature('a-wrong-signature-of-eight-kilobytes-of-metadata', metadata, target),
    answered(
      'metadata-of-sixty-four-kilobytes',
      withMetadata([65_536], target),
      'Very long headers must not break a server.',
    ),
    answered(
      'two-hundred-headers',
      withMetadata(new Array(200).fill(8), target),
      'Some servers drop headers beyond a maximum number, and then verify another text.',
    ),
  ];
}

function claim(name: string, why: string): Claim {
  return { id: `limits/${name}`, rules: ['5/match-accepted'], level: 'observed', why };
}

/** Changes the last character of the signature: all else would change what the limit is about. */
function refuseWrongSignature(name: string, request: Input, target: Target): readonly Vector[] {
  const signed = signInput(HEADER, request, target);
  const headers = (signed['headers'] as readonly (readonly [string, string])[]).map(
    ([header, value]) =>
      header === 'Authorization'
        ? [header, changeCharacter(value, value.length - 2)]
        : [header, value],
  );
  const refused = {
    ...claim(`refuses-${name}`, 'A long request is no reason to skip the comparison.'),
    rules: ['5/mismatch-refused'],
  };
  return [expectRefusal(HEADER, refused, signed, { ...signed, headers }, target) ?? []].flat();
}

function withKey(key: string, { bucket }: Target): Input {
  return { method: 'GET', bucket, key, headers: [] };
}

/** A header of metadata for each size. */
function withMetadata(sizes: readonly number[], { bucket, dialect }: Target): Input {
  const headers = sizes.map((size, i) => [`${dialect.headerPrefix}Meta-N${i}`, 'm'.repeat(size)]);
  return { method: 'GET', bucket, key: 'limits/metadata.txt', headers };
}
