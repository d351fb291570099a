/**
 * Turns a shrunk failure into a finding: asks about its edits and finds its causes.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import type { Finding, Neighbour } from '../../engine/diagnosis/explanation.ts';
import type { Observation } from '../../engine/diagnosis/observation.ts';
import { deduceDifference } from '../../engine/insight/insight.ts';
import { createEdits } from './edits.ts';
import { otherForms } from './relations.ts';
import { HURRY, type Investigator, type Place, type Shrunk } from './shrinking.ts';
import {
  askTrials,
  createTrial,
  type Failure,
  findFailure,
  observeTrial,
  toShrunkFailure,
} from './trial.ts';

/** The edits of a failing request. */
export interface Neighbourhood {
  /** The nearest request that passes. */
  readonly neighbour?: Neighbour;
  readonly asked: number;
  readonly observed: readonly Observation[];
}

export async function askNeighbours(
  investigator: Investigator,
  failure: Failure,
): Promise<Neighbourhood> {
  const { session, circumstances } = investigator;
  if (failure.verdict.status === 'timeout') return askNeighboursOfHang(investigator, failure);
  const edits = createEdits(failure.trial.draft).flatMap(({ draft, what }) => {
    const trial = createTrial(draft, circumstances);
    return trial ? [{ trial, what }] : [];
  });
  const replies = await askTrials(
    session,
    edits.map(({ trial }) => trial),
  );
  let neighbour: Neighbour | undefined;
  const observed: Observation[] = [];
  for (const [i, { trial, what }] of edits.entries()) {
    const own = replies[i] ?? [];
    const isRight = own.every(isAnswer) && !findFailure(trial, own);
    if (isRight) neighbour ??= { what };
    observed.push(...observeTrial(trial, own));
  }
  return { ...(neighbour && { neighbour }), asked: edits.length, observed };
}

/** Further hangs take time, so the edits are asked one by one until a few of them hang. */
const MOST_HANGS = 3;

async function askNeighboursOfHang(
  investigator: Investigator,
  failure: Failure,
): Promise<Neighbourhood> {
  const { session, timeout } = investigator;
  await session.renew(Math.min(HURRY, timeout));
  let asked = 0;
  let hangs = 0;
  let neighbour: Neighbour | undefined;
  for (const { draft, what } of createEdits(failure.trial.draft)) {
    if (hangs >= MOST_HANGS || neighbour || session.stopReason !== undefined) break;
    const trial = createTrial(draft, investigator.circumstances);
    if (!trial) continue;
    asked++;
    const replies = await session.ask(trial.questions);
    if (replies.some(({ kind }) => kind === 'timeout')) hangs++;
    else if (replies.every(isAnswer) && !findFailure(trial, replies)) neighbour = { what };
  }
  await session.renew(timeout);
  return { ...(neighbour && { neighbour }), asked, observed: [] };
}

function isAnswer({ kind }: { readonly kind: string }): boolean {
  return kind === 'result' || kind === 'refused';
}

/** Asks about the other forms of the same request. They show whether a parameter is not sent, or only not signed. */
async function askOtherForms(
  { session, circumstances }: Investigator,
  { trial: { draft } }: Failure,
): Promise<readonly Observation[]> {
  const observed: Observation[] = [];
  for (const other of otherForms(draft, circumstances)) {
    const trial = createTrial(other, circumstances);
    if (trial) observed.push(...observeTrial(trial, await session.ask(trial.questions)));
  }
  return observed;
}

export async function createFinding(
  investigator: Investigator,
  { failure, path }: Shrunk,
  { operation, seed }: Place,
  known: readonly Observation[],
  found: readonly Mistake[],
): Promise<Finding> {
  const neighbourhood = await askNeighbours(investigator, failure);
  const otherForms = await askOtherForms(investigator, failure);
  const observed = [...neighbourhood.observed, ...otherForms, ...known];
  const causes = investigator.explainer.findCauses(failure, observed, found);
  const { vector, verdict } = failure;
  const mistakes = causes.map(({ mistake }) => mistake);
  const deduced =
    verdict.difference &&
    deduceDifference(vector, verdict.difference, mistakes, investigator.circumstances.dialect);
  return {
    operation,
    ...toShrunkFailure(failure, neighbourhood.asked, neighbourhood.neighbour),
    causes,
    ...(deduced && { deduced }),
    seed,
    path,
  };
}
