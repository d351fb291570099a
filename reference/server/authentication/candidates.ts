/**
 * Which bucket a signature is for, where the address does not name it.
 *
 * @module
 */
import type { Judgement } from '../judgement.ts';
import type { Bucket } from '../store/store.ts';

/** The buckets that a request may be about: the one of its address, or all that there are. */
export interface Candidates {
  readonly buckets: readonly [Bucket, ...Bucket[]];
  readonly isNamed: boolean;
}

export interface BucketJudgement {
  readonly bucket: Bucket;
  readonly judgement: Judgement;
}

/** More are not tried: each takes an HMAC of its own. */
const MOST = 1000;

/** The first bucket that the signature fits; of none, what is said of the first. */
export function judgedAmong(
  { buckets, isNamed }: Candidates,
  judgedFor: (bucket: Bucket, isLast: boolean) => Judgement,
): BucketJudgement {
  const [first, ...others] = buckets;
  // Only the last try is worth a diagnosis, and it is made with the first bucket.
  for (const bucket of others.slice(0, MOST)) {
    const judgement = judgedFor(bucket, false);
    if (judgement.kind === 'right') return { bucket, judgement };
  }
  const judgement = judgedFor(first, true);
  if (isNamed || judgement.kind !== 'wrong') return { bucket: first, judgement };
  return {
    bucket: first,
    judgement: { ...judgement, message: `${judgement.message}; ${unnamed(buckets)}` },
  };
}

/** What to do about an address that names no bucket. */
export function unnamed(buckets: readonly Bucket[]): string {
  const tried =
    buckets.length === 0
      ? 'and there is none yet'
      : buckets.length === 1
        ? `so ${JSON.stringify(buckets[0]?.name)}, the only one, was taken`
        : `which leaves it to the signature, and none fits one of ${buckets.length}`;
  return `a loopback address names no bucket, ${tried}; name it by --bind HOST=BUCKET, by a virtual host such as BUCKET.localhost, or by using the server as an HTTP proxy`;
}
