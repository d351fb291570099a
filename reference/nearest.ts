/**
 * Hints for misspelled names.
 *
 * @module
 */

/** A hint for an unknown name: the nearest of all names, or all of them. */
export function hintNearest(
  given: string,
  all: readonly string[],
  otherwise = `there are ${all.join(', ')}`,
): string {
  const near = findNearest(given, all);
  return near === undefined ? otherwise : `did you mean ${near}?`;
}

/**
 * The name most similar to a text, in any case; `undefined` if none is similar.
 *
 * @param least the smallest similarity that counts, from 0 to 1
 */
export function findNearest(
  given: string,
  all: readonly string[],
  least = 0.45,
): string | undefined {
  let best: string | undefined;
  let bestScore = least;
  for (const candidate of all) {
    const [a, b] = [given.toLowerCase(), candidate.toLowerCase()];
    const score = (computeSimilarity(a, b, 1) + computeSimilarity(a, b, 2)) / 2;
    if (score > bestScore) [best, bestScore] = [candidate, score];
  }
  return best;
}

/** The share, from 0 to 1, of substrings of a length that two texts have in common. */
function computeSimilarity(a: string, b: string, length: number): number {
  const pieces = (text: string): string[] =>
    Array.from({ length: Math.max(0, text.length - length + 1) }, (_, i) =>
      text.slice(i, i + length),
    );
  const [left, right] = [pieces(a), pieces(b)];
  const size = left.length + right.length;
  let common = 0;
  for (const piece of left) {
    const at = right.indexOf(piece);
    if (at < 0) continue;
    right.splice(at, 1);
    common += 1;
  }
  return (2 * common) / (size || 1);
}
