/**
 * The questions of a probe: verify vectors, rewritten for the server, and vectors for servers only.
 *
 * @module
 */

import { toControlQuestion, toQuestion } from '../../engine/judge/outcome.ts';
import type { Vector } from '../../engine/vector.ts';
import { createLimitVectors } from '../../make/probe/limits.ts';
import type { Target } from '../../make/probe/probe-vectors.ts';
import { relocateVector } from '../../make/probe/relocation.ts';
import { createReplayVectors } from '../../make/probe/replays.ts';
import { createVendorTextVector } from '../../make/probe/vendor-text.ts';
import { translateVectors } from '../../make/rederive/dialect.ts';
import type { Prober } from '../../respondents/server/prober.ts';
import type { Unasked } from './probe.ts';

/** The vectors that only a server can be asked. */
export function ownVectors(about: Target): readonly Vector[] {
  return [
    ...createReplayVectors(about),
    ...createLimitVectors(about),
    createVendorTextVector(about),
  ];
}

export interface Questions {
  readonly asked: readonly Vector[];
  readonly unasked: readonly Unasked[];
  /** How many show only part of their claim. */
  readonly partial: number;
}

/** The vectors as requests to the server. Vectors of the suite are signed again for it. */
export function questionsAbout(
  about: Target,
  written: readonly Vector[],
  own: readonly Vector[],
  prober: Prober,
): Questions {
  const placed = written.map((vector) => ({
    vector,
    placed: relocateVector(vector, about.keys, about),
  }));
  const lost = placed.flatMap(({ vector, placed: one }) =>
    'unasked' in one ? { vector, why: one.unasked } : [],
  );
  const partial = placed.filter(({ placed: one }) => 'isPartial' in one && one.isPartial).length;
  const made = placed.flatMap(({ placed: one }) => ('vector' in one ? one.vector : []));
  const all = [...translateVectors(about.dialect, made), ...own];
  const faults = all.map((vector) => ({ vector, why: whyNot(vector, prober) }));
  return {
    partial,
    asked: faults.flatMap(({ vector, why }) => (why === undefined ? vector : [])),
    unasked: [
      ...lost,
      ...faults.flatMap(({ vector, why }) => (why === undefined ? [] : { vector, why })),
    ],
  };
}

/** Why no request can ask the question or its control. */
function whyNot(vector: Vector, prober: Prober): string | undefined {
  return (
    prober.findObstacle(toQuestion(vector)) ??
    (vector.control && prober.findObstacle(toControlQuestion(vector)))
  );
}
