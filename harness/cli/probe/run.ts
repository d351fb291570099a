/**
 * Runs the vectors of a probe against a server.
 *
 * @module
 */
import { dialectName, otherDialects } from '../../engine/dialects.ts';
import { type Outcome, type Run, toQuestion } from '../../engine/judge/outcome.ts';
import { runVectors } from '../../engine/judge/run.ts';
import type { Reply } from '../../engine/protocol.ts';
import { reasonNotes } from '../../engine/report/reason-notes.ts';
import type { Suite, Vector } from '../../engine/vector.ts';
import type { Bucket } from '../../respondents/server/bucket.ts';
import { NOT_ASKED, type Prober } from '../../respondents/server/prober.ts';
import type { Server } from '../../respondents/server/server.ts';
import { createServerForgeries } from './forgeries.ts';
import { createTarget, type ProbePlan, relocateVectors, selectSimplest } from './plan.ts';

/** A server with the bucket of the probe, and the respondent that asks it. */
export interface Probed {
  readonly server: Server;
  readonly bucket: Bucket;
  readonly prober: Prober;
}

/** @param bundled the suite of the package */
export async function runProbe(probed: Probed, plan: ProbePlan, bundled: Suite): Promise<Run> {
  const { bucket, prober } = probed;
  const isWhole = plan.vectors.length === plan.suite.vectors.length;
  const canAsk = (vector: Vector): boolean => prober.findObstacle(toQuestion(vector)) === undefined;
  let unshown: readonly string[] = [];
  const run = await runVectors(prober, {
    vectors: plan.asked,
    knownGood: selectSimplest(plan.asked.filter(canAsk)),
    findWrongDialect: (good, replies) => findWrongDialect(probed, bundled, good, replies),
    forgeries: () => {
      if (!isWhole || prober.stopReason !== undefined) return [];
      const made = createServerForgeries(bundled, plan.target, prober);
      unshown = made.unshown;
      return made.forgeries;
    },
  });
  if (run.neverWorked !== undefined) return run;
  const unasked = [...plan.unasked.map(toUnaskedOutcome), ...run.outcomes.filter(isUnasked)];
  const outcomes = [...run.outcomes.filter((outcome) => !isUnasked(outcome)), ...unasked];
  const whys = unasked.map(({ verdict }) => verdict.message.slice(NOT_ASKED.length));
  const notes = [
    ...clockNotes(bucket),
    ...partialNotes(plan),
    ...reasonNotes(['vector not asked', 'vectors not asked'], whys),
    ...reasonNotes(UNSHOWN, unshown),
  ];
  return { ...run, outcomes, notes };
}

const UNSHOWN = [
  'known mistake that no request shows',
  'known mistakes that no request shows',
] as const;

/** Describes the dialect in which the server accepts file requests, if it refuses the dialect of the probe. */
async function findWrongDialect(
  { server, bucket, prober }: Probed,
  bundled: Suite,
  knownGood: readonly Vector[],
  replies: readonly Reply[],
): Promise<string | undefined> {
  const ofFiles = replies.filter((_, i) => isOfFiles(knownGood[i]));
  if (ofFiles.length === 0 || ofFiles.some(({ kind }) => kind !== 'refused')) return undefined;
  const simplest = selectSimplest(bundled.vectors.filter(isOfFiles));
  for (const dialect of otherDialects(server.dialect)) {
    const { asked } = relocateVectors(simplest, createTarget({ ...server, dialect }, bucket));
    const given = await prober.inDialect(dialect).ask(asked.map(toQuestion));
    const kinds = given.map(({ kind }) => kind);
    if (!kinds.includes('result') || kinds.includes('refused')) continue;
    const [own, other] = [server.dialect, dialect].map(dialectName);
    return `it accepts file requests in the dialect ${other} and refuses them in ${own}; pass --dialect ${other}`;
  }
  return undefined;
}

/** Requests for actions do not depend on the dialect. */
function isOfFiles(vector: Vector | undefined): boolean {
  return /^verify-(authorization|presigned-url)$/.test(vector?.operation ?? '');
}

/** Counts as unsupported: neither a pass nor a failure. */
function toUnaskedOutcome({ vector, why }: ProbePlan['unasked'][number]): Outcome {
  const message = NOT_ASKED + why;
  return { vector, reply: { kind: 'unsupported' }, verdict: { status: 'unsupported', message } };
}

function isUnasked({ verdict }: Outcome): boolean {
  return verdict.message.startsWith(NOT_ASKED);
}

/** Notes on the clock of the server. A difference of one second is normal, because clocks show whole seconds. */
function clockNotes({ now, ahead }: Bucket): readonly string[] {
  if (now === undefined) {
    return [
      'the server sends no Date, so the expiry of requests follows the clock of this machine',
    ];
  }
  if (Math.abs(ahead) < 2) return [];
  const where = ahead < 0 ? 'behind' : 'ahead of';
  return [
    `the clock of the server is ${Math.abs(ahead)} s ${where} the clock of this machine; the expiry of requests follows the server's`,
  ];
}

function partialNotes({ partial }: ProbePlan): readonly string[] {
  if (partial === 0) return [];
  const they = partial === 1 ? 'vector tests' : 'vectors test';
  return [`${partial} ${they} only a part of the claim, because of this key pair and this clock`];
}
