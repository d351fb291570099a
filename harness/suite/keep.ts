/**
 * Why vectors are kept that catch no mistake which few others catch: `keep` of a vector file.
 *
 * @module
 */
import type { YamlFile } from './yaml-file.ts';

/** One reason, and the vectors of the file that it is true of. */
export interface Keep {
  readonly because: string;
  readonly vectors: readonly string[];
}

/** The reasons by the vectors' ids in their file; what is named twice or is not there becomes a problem. */
export function reasonsToKeep(
  file: YamlFile,
  keep: readonly Keep[],
  ids: readonly string[],
  problems: string[],
): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  for (const [i, { because, vectors }] of keep.entries()) {
    for (const [j, id] of vectors.entries()) {
      const place = ['keep', i, 'vectors', j];
      if (!ids.includes(id)) problems.push(file.problem(place, `is ${id}, no vector of this file`));
      if (reasons.has(id)) problems.push(file.problem(place, `is ${id} a second time`));
      reasons.set(id, because);
    }
  }
  return reasons;
}
