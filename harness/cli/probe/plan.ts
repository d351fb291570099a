/**
 * The questions of a probe: verify vectors, signed again for the server, and vectors that only apply to servers.
 *
 * @module
 */
import { type Selection, selectVectors } from '../../engine/select.ts';
import type { Suite, Vector } from '../../engine/vector.ts';
import { createLimitVectors } from '../../make/probe/limits.ts';
import type { Target } from '../../make/probe/probe-vectors.ts';
import { relocateVector } from '../../make/probe/relocation.ts';
import { createReplayVectors } from '../../make/probe/replays.ts';
import { createVendorTextVector } from '../../make/probe/vendor-text.ts';
import { translateVectors } from '../../make/rederive/dialect.ts';
import type { Bucket } from '../../respondents/server/bucket.ts';
import type { Server } from '../../respondents/server/server.ts';

export interface ProbePlan extends Relocated {
  readonly target: Target;
  /** The verify vectors, and the vectors that only apply to servers. */
  readonly suite: Suite;
  /** The selected vectors. */
  readonly vectors: readonly Vector[];
}

/** Vectors as questions to a server. */
interface Relocated {
  readonly asked: readonly Vector[];
  /** The vectors that cannot be sent to this server, with the reason. */
  readonly unasked: readonly { readonly vector: Vector; readonly why: string }[];
  /** The number of vectors whose request tests only a part of their claim. */
  readonly partial: number;
}

/** @param bundled the suite of the package */
export function createPlan(target: Target, bundled: Suite, selection: Selection): ProbePlan {
  const written = bundled.vectors.filter(({ operation }) => operation.startsWith('verify-'));
  const own = [
    ...createReplayVectors(target),
    ...createLimitVectors(target),
    createVendorTextVector(target),
  ];
  const suite = { ...bundled, vectors: [...written, ...own] };
  const vectors = selectVectors(suite, selection);
  const isOwn = (vector: Vector): boolean => own.includes(vector);
  const relocated = relocateVectors(
    vectors.filter((vector) => !isOwn(vector)),
    target,
  );
  return {
    target,
    suite,
    vectors,
    ...relocated,
    asked: [...relocated.asked, ...vectors.filter(isOwn)],
  };
}

export function createTarget(
  { keys, dialect, fileHost, url }: Server,
  { name, now }: Bucket,
): Target {
  const scheme = url.protocol.replace(':', '');
  const seconds = now ?? Math.floor(Date.now() / 1000);
  return { keys, dialect, fileHost, scheme, bucket: name, now: seconds };
}

/** Signs vectors again for the server. */
export function relocateVectors(vectors: readonly Vector[], target: Target): Relocated {
  const all = vectors.map((vector) => ({
    vector,
    relocated: relocateVector(vector, target.keys, target),
  }));
  const moved = all.flatMap(({ relocated }) => ('vector' in relocated ? relocated : []));
  return {
    asked: translateVectors(
      target.dialect,
      moved.map(({ vector }) => vector),
    ),
    unasked: all.flatMap(({ vector, relocated }) =>
      'unasked' in relocated ? { vector, why: relocated.unasked } : [],
    ),
    partial: moved.filter(({ isPartial }) => isPartial).length,
  };
}

/** The shortest correctly signed request of each operation. */
export function selectSimplest(vectors: readonly Vector[]): readonly Vector[] {
  const right = vectors
    .filter(({ expect }) => expect)
    .toSorted((a, b) => JSON.stringify(a.input).length - JSON.stringify(b.input).length);
  const operations = [...new Set(right.map(({ operation }) => operation))];
  return operations.flatMap((name) => right.find(({ operation }) => operation === name) ?? []);
}
