/**
 * The parts that a finished upload is made of.
 *
 * @module
 */

import type { Context } from '../../signing/index.ts';
import { quoted } from '../quoted.ts';
import type { Part } from '../store/store.ts';
import type { Bytes } from './placed-object.ts';
import { refusal } from './refusal.ts';

/**
 * The parts that a list of ETags names, in the order of their numbers.
 *
 * The list counts as a multiset: the SDK for JavaScript writes it in the order in which parts were done. Quotes and an
 * empty last entry are in use, and both forms of a part's ETag.
 */
export function listedParts(list: string, uploaded: readonly Part[]): readonly Part[] {
  const wanted = countedEtags(list);
  const parts = uploaded.filter(
    ({ content }) => taken(wanted, content.partEtag) || taken(wanted, content.etag),
  );
  const [missing] = [...wanted.keys()];
  if (missing !== undefined) {
    throw refusal(
      'badParts',
      `the list names ${quoted(missing)} more often than the ${uploaded.length} parts that came have it as ETag`,
    );
  }
  if (parts.length === 0 && uploaded.length > 0) {
    throw refusal('badParts', `the list is empty, though ${uploaded.length} parts came`);
  }
  return parts;
}

function countedEtags(list: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const entry of list.split(',')) {
    const etag = entry.trim().replace(/^"|"$/g, '');
    if (etag !== '') counts.set(etag, (counts.get(etag) ?? 0) + 1);
  }
  return counts;
}

function taken(wanted: Map<string, number>, etag: string): boolean {
  const count = wanted.get(etag);
  if (count === undefined) return false;
  if (count > 1) wanted.set(etag, count - 1);
  else wanted.delete(etag);
  return true;
}

/** The file that parts make, with the ETag of a file that was put whole: each part is a block. */
export function wholeOf(parts: readonly Part[], context: Context): Bytes {
  const { steps } = context;
  checkSizes(parts, steps.blockSize);
  const filled = parts.map(({ content }) => content).filter(({ size }) => size > 0);
  const blocks = filled.map(({ partEtag }) => Buffer.from(partEtag, 'base64url'));
  return {
    etag: steps.etagText(steps.etagBytes(blocks.length, steps.fileDigest(blocks), context)),
    size: filled.reduce((sum, { size }) => sum + size, 0),
    contents: filled.map(({ id, size }) => ({ id, size })),
  };
}

function checkSizes(parts: readonly Part[], blockSize: number): void {
  const last = parts.at(-1);
  const wrong = parts.find(({ content }) => content.size !== blockSize);
  if (wrong === undefined || (wrong === last && wrong.content.size < blockSize)) return;
  throw refusal(
    'badParts',
    `part ${wrong.number} has ${wrong.content.size} bytes; every part but the last has BlkSize, ${blockSize} bytes, and the last no more`,
  );
}
