/**
 * The proof as data: who catches what. `schema/matrix.schema.json` says how it looks.
 *
 * @module
 */
import { MISTAKES } from '../../reference/mistakes/index.ts';
import type { Suite } from '../suite/vector.ts';
import { catchers, type Proof } from './proof.ts';
import type { Cover } from './smallest-cover.ts';

export interface Matrix {
  /** The version of the package. */
  readonly version: string;
  readonly counts: {
    readonly mistakes: number;
    readonly vectors: number;
    readonly smoke: number;
  };
  readonly mistakes: readonly {
    readonly id: string;
    readonly rule: string;
    readonly caughtBy: readonly string[];
  }[];
  readonly vectors: readonly {
    readonly id: string;
    readonly level: string;
    readonly catches: readonly string[];
    readonly keep?: string;
  }[];
  readonly smoke: {
    readonly isProvedSmallest: boolean;
    readonly vectors: readonly string[];
  };
}

export function matrix({ version, vectors }: Suite, found: Proof, smoke: Cover): Matrix {
  const mistakes = MISTAKES.map(({ id, rule }) => ({ id, rule, caughtBy: catchers(found, id) }));
  const catches = new Map(vectors.map(({ id }) => [id, [] as string[]]));
  for (const { id, caughtBy } of mistakes) {
    for (const vector of caughtBy) catches.get(vector)?.push(id);
  }
  return {
    version,
    counts: {
      mistakes: mistakes.length,
      vectors: vectors.length,
      smoke: smoke.columns.length,
    },
    mistakes,
    vectors: vectors.map(({ id, level, keep }) => ({
      id,
      level,
      catches: catches.get(id) ?? [],
      ...(keep !== undefined && { keep }),
    })),
    smoke: { isProvedSmallest: smoke.isProved, vectors: smoke.columns },
  };
}
