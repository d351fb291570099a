/**
 * Requests at the limits of the service, and beyond: rightly signed ones within are accepted, everything is answered.
 *
 * @module
 */
import type { Input, Vector } from '../suite/vector.ts';
import {
  type About,
  acceptedVector,
  answeredVector,
  refusedVector,
  signedInput,
} from './own-vector.ts';
import { changedAt } from './replays.ts';

/** In bytes of UTF-8; the service's documentation. */
const LONGEST_KEY = 1023;

/** Of all metadata of a file together, in bytes; the same. */
const LONGEST_METADATA = 8192;

const HEADER = 'verify-authorization';

/** The vectors about limits. */
export function limits(about: About): readonly Vector[] {
  const accepted = (name: string, request: Input, why: string): Vector =>
    acceptedVector(
      HEADER,
      claim(`accepts-${name}`, why),
      signedInput(HEADER, request, about),
      about,
    );
  const answered = (name: string, request: Input, why: string): Vector =>
    answeredVector(
      HEADER,
      claim(`answers-${name}`, why),
      signedInput(HEADER, request, about),
      about,
    );
  const longKey = withKey('k'.repeat(LONGEST_KEY), about);
  const metadata = withMetadata([LONGEST_METADATA - 200], about);
  return [
    accepted('a-key-of-1023-bytes', longKey, 'A key has 1 to 1023 bytes.'),
    accepted(
      'a-key-of-1023-bytes-in-characters-of-three',
      withKey('鍵'.repeat(341), about),
      'Bytes are counted, not characters.',
    ),
    ...wronglySigned('a-wrong-signature-of-a-key-of-1023-bytes', longKey, about),
    answered(
      'a-key-of-1024-bytes',
      withKey('k'.repeat(LONGEST_KEY + 1), about),
      'One byte more than the service documents must not break a server.',
    ),
    accepted('metadata-of-eight-kilobytes', metadata, 'The service documents 8 KB of metadata.'),
    ...wronglySigned('a-wrong-signature-of-eight-kilobytes-of-metadata', metadata, about),
    answered(
      'metadata-of-sixty-four-kilobytes',
      withMetadata([65_536], about),
      'Headers without end must not break a server.',
    ),
    answered(
      'two-hundred-headers',
      withMetadata(
        Array.from({ length: 200 }, () => 8),
        about,
      ),
      'Some servers leave out headers beyond a number, and then verify another text.',
    ),
  ];
}

function claim(name: string, why: string) {
  return { id: `limits/${name}`, rules: ['5/match-accepted'], level: 'observed' as const, why };
}

/** The key is what a limit is about, so the last character of its signature is changed. */
function wronglySigned(name: string, request: Input, about: About): readonly Vector[] {
  const right = signedInput(HEADER, request, about);
  const headers = (right['headers'] as readonly (readonly [string, string])[]).map(
    ([header, value]) =>
      header === 'Authorization' ? [header, changedAt(value, value.length - 2)] : [header, value],
  );
  const { rules: _, ...named } = claim(
    `refuses-${name}`,
    'A long request is no reason to skip the comparison.',
  );
  const refused = { ...named, rules: ['5/mismatch-refused'] };
  return [refusedVector(HEADER, refused, right, { ...right, headers }, about) ?? []].flat();
}

function withKey(key: string, { bucket }: About): Input {
  return { method: 'GET', bucket, key, headers: [] };
}

/** A header of metadata for each size. */
function withMetadata(sizes: readonly number[], { bucket, dialect }: About): Input {
  const headers = sizes.map((size, i) => [`${dialect.headerPrefix}Meta-N${i}`, 'm'.repeat(size)]);
  return { method: 'GET', bucket, key: 'limits/metadata.txt', headers };
}
