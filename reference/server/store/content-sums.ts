/**
 * What is computed of bytes while they come in (§2, §8).
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { type Context, etagHash } from '../../signing/index.ts';
import type { Content, WantedSums } from './store.ts';

export interface ContentSums {
  readonly update: (piece: Uint8Array) => void;
  readonly texts: () => Pick<Content, 'etag' | 'partEtag' | 'md5'>;
}

/** The sums that are wanted; each costs as much time as the ETag or more. */
export function contentSums(wanted: WantedSums, context: Context): ContentSums {
  const { steps } = context;
  const etag = etagHash(context);
  const sha1 = wanted.partEtag ? createHash('sha1') : undefined;
  const md5 = wanted.md5 ? createHash('md5') : undefined;
  return {
    update(piece) {
      etag.update(piece);
      sha1?.update(piece);
      md5?.update(piece);
    },
    texts: () => ({
      etag: etag.stages().etag,
      partEtag: sha1 ? steps.etagText(steps.partEtagBytes(sha1.digest())) : '',
      md5: md5?.digest('hex') ?? '',
    }),
  };
}
