/**
 * All that a server is asked: the verify vectors about it, and those that only a server can be asked.
 *
 * @module
 */
import { inWordsOf } from '../rederive/dialect.ts';
import { controlOf, questionOf } from '../run.ts';
import type { Vector } from '../suite/vector.ts';
import { limits } from './limits.ts';
import type { About } from './own-vector.ts';
import { placedVector } from './placing.ts';
import type { Prober } from './prober.ts';
import { replays } from './replays.ts';
import type { Unasked } from './unasked.ts';
import { vendorTextVector } from './vendor-text.ts';

/** The vectors that only a server can be asked. */
export function ownVectors(about: About): readonly Vector[] {
  return [...replays(about), ...limits(about), vendorTextVector(about)];
}

export interface Questions {
  readonly asked: readonly Vector[];
  readonly unasked: readonly Unasked[];
  /** How many show only some of what they claim. */
  readonly partial: number;
}

/** The vectors as requests to the server; those of the suite are signed anew for it. */
export function questionsAbout(
  about: About,
  written: readonly Vector[],
  own: readonly Vector[],
  prober: Prober,
): Questions {
  const placed = written.map((vector) => ({
    vector,
    placed: placedVector(vector, about.keys, about),
  }));
  const lost = placed.flatMap(({ vector, placed: one }) =>
    'unasked' in one ? { vector, why: one.unasked } : [],
  );
  const partial = placed.filter(({ placed: one }) => 'isPartial' in one && one.isPartial).length;
  const made = placed.flatMap(({ placed: one }) => ('vector' in one ? one.vector : []));
  const all = [...inWordsOf(about.dialect, made), ...own];
  const faults = all.map((vector) => ({ vector, why: fault(vector, prober) }));
  return {
    partial,
    asked: faults.flatMap(({ vector, why }) => (why === undefined ? vector : [])),
    unasked: [
      ...lost,
      ...faults.flatMap(({ vector, why }) => (why === undefined ? [] : { vector, why })),
    ],
  };
}

/** Why no request asks the question, or its control. */
function fault(vector: Vector, prober: Prober): string | undefined {
  return (
    prober.unasked(questionOf(vector)) ?? (vector.control && prober.unasked(controlOf(vector)))
  );
}
