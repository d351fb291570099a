/**
 * Plans the questions of a probe, and runs them against a server: vectors, signed again for it, and forged requests.
 *
 * @module
 */
import { isVerifier } from '../../reference/operations.ts';
import { dialectName, otherDialects } from '../engine/dialects.ts';
import { formatCount } from '../engine/excerpt.ts';
import type { Forgery } from '../engine/judge/forgery.ts';
import { type Outcome, type Run, toQuestion } from '../engine/judge/outcome.ts';
import { runVectors } from '../engine/judge/run.ts';
import type { Reply } from '../engine/protocol.ts';
import { reasonNotes } from '../engine/report/report.ts';
import { type Selection, selectSimplest, selectVectors } from '../engine/select.ts';
import type { Suite, Vector } from '../engine/vector.ts';
import { chooseForgeries, createForgeries, verifyingOperation } from '../make/forgeries.ts';
import { acceptsMistaken } from '../make/further/signature-sweep.ts';
import {
  createLimitVectors,
  createVendorTextVector,
  isVendorText,
  type Target,
} from '../make/probe/probe-vectors.ts';
import { relocateSigningVector, relocateVector } from '../make/probe/relocation.ts';
import { createReplayVectors } from '../make/probe/replays.ts';
import { translateVectors } from '../make/rederive/rewording.ts';
import type { Bucket } from '../respondents/server/bucket.ts';
import { NOT_ASKED, type Prober } from '../respondents/server/prober.ts';
import type { Server } from '../respondents/server/server.ts';
import { BUNDLED, bundledForgeries, bundledSuite } from '../suite/bundle.ts';

/** A server with the bucket of the probe, and the respondent that asks it. */
interface Probed {
  readonly server: Server;
  readonly bucket: Bucket;
  readonly prober: Prober;
}

export async function runProbe(probed: Probed, plan: ProbePlan): Promise<Run> {
  const { bucket, prober } = probed;
  const isWhole = plan.vectors.length === plan.suite.vectors.length;
  const canAsk = (vector: Vector): boolean => prober.findObstacle(toQuestion(vector)) === undefined;
  let unshown: readonly string[] = [];
  const run = await runVectors(prober, {
    vectors: plan.asked,
    knownGood: selectSimplest(plan.asked.filter(canAsk)),
    findWrongDialect: (good, replies) => findWrongDialect(probed, good, replies),
    acceptsMistaken: (refused) => acceptsMistaken(prober, refused, probed.server.dialect, BUNDLED),
    forgeries: () => {
      if (!isWhole || prober.stopReason !== undefined) return [];
      const made = createServerForgeries(plan.target, prober);
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
    ...reasonNotes(
      ['known mistake that no request shows', 'known mistakes that no request shows'],
      unshown,
    ),
  ];
  return { ...run, outcomes, notes };
}

/** Describes the dialect in which the server accepts file requests, if it refuses the dialect of the probe. */
async function findWrongDialect(
  { server, bucket, prober }: Probed,
  knownGood: readonly Vector[],
  replies: readonly Reply[],
): Promise<string | undefined> {
  // A request that the server does not judge, such as one with a callback policy, tells nothing.
  const ofFiles = replies.filter(
    ({ kind }, i) => isOfFiles(knownGood[i]) && kind !== 'unsupported',
  );
  if (ofFiles.length === 0 || ofFiles.some(({ kind }) => kind !== 'refused')) return undefined;
  const simplest = selectSimplest(bundledSuite().vectors.filter(isOfFiles));
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
  const they = formatCount(partial, 'vector tests', 'vectors test');
  return [`${they} only a part of the claim, because of this key pair and this clock`];
}

interface ProbePlan extends Relocated {
  readonly target: Target;
  /** The verify vectors, and the vectors that only apply to servers. */
  readonly suite: Suite;
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

export function createPlan(target: Target, selection: Selection): ProbePlan {
  const bundled = bundledSuite();
  const written = bundled.vectors.filter(({ operation }) => isVerifier(operation));
  const own = [
    ...createReplayVectors(target),
    ...createLimitVectors(target),
    createVendorTextVector(target),
  ];
  const suite = { ...bundled, vectors: [...written, ...own] };
  const vectors = selectVectors(suite, selection);
  const isOwn = (vector: Vector): boolean => own.includes(vector);
  const others = vectors.filter((vector) => !isOwn(vector));
  const relocated = relocateVectors(others, target);
  const asked = [...relocated.asked, ...vectors.filter(isOwn)];
  return { target, suite, vectors, ...relocated, asked };
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
function relocateVectors(vectors: readonly Vector[], target: Target): Relocated {
  const all = vectors.map((vector) => ({
    vector,
    relocated: relocateVector(vector, target.keys, target),
  }));
  const moved = all.flatMap(({ relocated }) => ('vector' in relocated ? relocated : []));
  const asked = moved.map(({ vector }) => vector);
  return {
    asked: translateVectors(target.dialect, asked),
    unasked: all.flatMap(({ vector, relocated }) =>
      'unasked' in relocated ? { vector, why: relocated.unasked } : [],
    ),
    partial: moved.filter(({ isPartial }) => isPartial).length,
  };
}

/** The requests that signers with known mistakes send to this server, and for each mistake that no request shows the reason. */
function createServerForgeries(target: Target, prober: Prober) {
  const { keys, dialect } = target;
  const signers = bundledSuite()
    .vectors.filter(({ operation }) => verifyingOperation(operation) !== undefined)
    .map((vector) => relocateSigningVector(vector, keys, target));
  const all = translateVectors(dialect, signers).flatMap((vector) =>
    createForgeries(vector, dialect),
  );
  const findFault = (forgery: Forgery) => whyNotAsked(forgery, target, prober);
  const askable = all.filter((forgery) => findFault(forgery) === undefined);
  // A server may use different code for a signature in a header, a query and a body, so all of them are asked about.
  const forgeries = chooseForgeries(askable, dialect).map(
    ({ unlessOffered: _, ...forgery }) => forgery,
  );
  const shown = new Set(forgeries.flatMap(({ mistakes }) => mistakes));
  const names = new Set(bundledForgeries().flatMap(({ mistakes }) => mistakes));
  const whyNot = (name: string): string => {
    const one = all.find(({ mistakes }) => mistakes.includes(name));
    return (one && findFault(one)) ?? 'it does not change a request with this key pair and bucket';
  };
  return {
    forgeries,
    unshown: [...names].filter((name) => !shown.has(name)).map(whyNot),
  };
}

function whyNotAsked(forgery: Forgery, { dialect }: Target, prober: Prober): string | undefined {
  if (isVendorText(forgery, dialect)) {
    return "the service's newer documentation signs this text, and a server may accept it";
  }
  return prober.findObstacle(forgery) ?? prober.findObstacle(forgery.control);
}
