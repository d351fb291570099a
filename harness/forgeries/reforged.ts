/**
 * The same forgeries of other requests: in another dialect, on fresh data.
 *
 * @module
 */
import { MISTAKES } from '../../reference/mistakes/index.ts';
import type { Dialect, Question } from '../adapter/messages.ts';
import type { Vector } from '../suite/vector.ts';
import { forgeriesOf } from './forged.ts';
import type { Forgery } from './forgery.ts';

/**
 * Signs the requests of these vectors with the mistakes of the given forgeries.
 *
 * @param vectors those that the forgeries name, in the words of the dialect
 */
export function reforged(
  forgeries: readonly Forgery[],
  vectors: readonly Vector[],
  dialect: Dialect,
): readonly Forgery[] {
  const byId = new Map(vectors.map((vector) => [vector.id, vector]));
  const controls = new Map<string, Question>();
  return forgeries.flatMap((old) => {
    const { vector: id, mistakes } = old;
    const vector = byId.get(id);
    const planted = MISTAKES.filter((mistake) => mistakes.includes(mistake.id));
    const made = vector ? forgeriesOf(vector, dialect, planted) : [];
    return made.map((forgery) => {
      const control = controls.get(id) ?? forgery.control;
      controls.set(id, control);
      return { ...old, ...forgery, control };
    });
  });
}
