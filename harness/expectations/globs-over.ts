/**
 * Few patterns for many ids.
 *
 * @module
 */

/** Fewer ids than this are listed: a pattern would also expect failures of vectors to come. */
const FEWEST = 3;

/** The ids, but a glob for each folder of which all are among them. */
export function globsOver(ids: readonly string[], all: readonly string[]): readonly string[] {
  const globs = new Set<string>();
  for (const id of ids) {
    const folder = foldersOf(id).find((one) => isWhole(one, ids, all));
    globs.add(folder === undefined ? id : `${folder}/**`);
  }
  return [...globs];
}

/** The outermost first. */
function foldersOf(id: string): readonly string[] {
  const parts = id.split('/');
  return parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join('/'));
}

function isWhole(folder: string, ids: readonly string[], all: readonly string[]): boolean {
  const below = all.filter((id) => id.startsWith(`${folder}/`));
  return below.length >= FEWEST && below.every((id) => ids.includes(id));
}
