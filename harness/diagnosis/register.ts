/**
 * The names of the known mistakes, which files of expectations hold.
 *
 * @module
 */
import { type Mistake, mistakesBeside } from '../../reference/mistakes/index.ts';
import { nearest } from '../suite/select.ts';

export function knownMistake(id: string): Mistake | undefined {
  return mistakesBeside(id).find((mistake) => mistake.id === id);
}

/** The id that is most like the given one; nothing where none is near. */
export function nearestMistake(id: string): string | undefined {
  return nearest(
    id,
    mistakesBeside(id).map((mistake) => mistake.id),
  );
}
