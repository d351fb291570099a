/**
 * From a shrunk failure to a finding: its nearest right neighbour and its cause.
 *
 * @module
 */
import type { Mistake } from '../../reference/mistakes/index.ts';
import { deducedDifference } from '../diagnosis/insight.ts';
import type { Observation } from '../diagnosis/observation.ts';
import { observations } from '../diagnosis/shown-reply.ts';
import { edits } from './edits.ts';
import type { Finding, Neighbour } from './finding.ts';
import type { Conversation } from './interview.ts';
import { otherForms } from './relations.ts';
import { HURRY, type Investigator, type Place, type Shrunk } from './shrinking.ts';
import { type Failure, failureOf, type Trial, trialOf } from './trial.ts';

/** What was seen beside a failure, and the nearest request over which the adapter is right. */
export interface Beside {
  readonly neighbour?: Neighbour;
  readonly asked: number;
  readonly observed: readonly Observation[];
}

export async function beside(investigator: Investigator, failure: Failure): Promise<Beside> {
  const { interview, circumstances, contents } = investigator;
  if (failure.verdict.status === 'timeout') return besideHang(investigator, failure);
  const trials = edits(failure.trial.draft).flatMap(({ draft, what }) => {
    const trial = trialOf(draft, circumstances, contents);
    return trial ? [{ trial, what }] : [];
  });
  const replies = await interview.ask(trials.flatMap(({ trial }) => trial.questions));
  let from = 0;
  let neighbour: Neighbour | undefined;
  const observed: Observation[] = [];
  for (const { trial, what } of trials) {
    const own = replies.slice(from, from + trial.questions.length);
    from += trial.questions.length;
    const isRight = own.every(isAnswer) && !failureOf(trial, own);
    if (isRight) neighbour ??= { what };
    observed.push(...seen(trial, own));
  }
  return { ...(neighbour && { neighbour }), asked: trials.length, observed };
}

/** Each further hang takes its time, so a few are asked about, one by one. */
async function besideHang(investigator: Investigator, failure: Failure): Promise<Beside> {
  const { interview, timeout } = investigator;
  await interview.renew(Math.min(HURRY, timeout));
  let asked = 0;
  let hangs = 0;
  let neighbour: Neighbour | undefined;
  for (const { draft, what } of edits(failure.trial.draft)) {
    if (hangs >= 3 || neighbour || interview.over !== undefined) break;
    const trial = trialOf(draft, investigator.circumstances, investigator.contents);
    if (!trial) continue;
    asked++;
    const replies = await interview.ask(trial.questions);
    if (replies.some(({ kind }) => kind === 'timeout')) hangs++;
    else if (replies.every(isAnswer) && !failureOf(trial, replies)) neighbour = { what };
  }
  await interview.renew(timeout);
  return { ...(neighbour && { neighbour }), asked, observed: [] };
}

function isAnswer({ kind }: { readonly kind: string }): boolean {
  return kind === 'result' || kind === 'refused';
}

/** What a trial's replies show. */
export function seen(
  { vector, questions }: Trial,
  replies: Awaited<ReturnType<Conversation['ask']>>,
): readonly Observation[] {
  const [reply, second] = replies;
  const [, controlQuestion] = questions;
  const control = vector.control && second && controlQuestion;
  if (!reply) return [];
  return observations(
    vector,
    reply,
    control && second ? { question: control, reply: second } : undefined,
  );
}

/** What the other forms of the same request show: what is left out of it, and what is only not signed. */
async function inOtherForms(
  { interview, circumstances, contents }: Investigator,
  { trial: { draft } }: Failure,
): Promise<readonly Observation[]> {
  const observed: Observation[] = [];
  for (const other of otherForms(draft, circumstances)) {
    const trial = trialOf(other, circumstances, contents);
    if (trial) observed.push(...seen(trial, await interview.ask(trial.questions)));
  }
  return observed;
}

/** The finding that a shrunk failure makes. */
export async function findingOf(
  investigator: Investigator,
  { failure, path }: Shrunk,
  { operation, seed }: Place,
  known: readonly Observation[],
  found: readonly Mistake[],
): Promise<Finding> {
  const around = await beside(investigator, failure);
  const observed = [...around.observed, ...(await inOtherForms(investigator, failure)), ...known];
  const causes = investigator.explainer.causes(failure, observed, found);
  const { vector, verdict } = failure;
  const mistakes = causes.map(({ mistake }) => mistake);
  const deduced =
    verdict.difference &&
    deducedDifference(vector, verdict.difference, mistakes, investigator.circumstances.dialect);
  return {
    operation,
    failure,
    causes,
    ...(deduced && { deduced }),
    ...(around.neighbour && { neighbour: around.neighbour }),
    besides: around.asked,
    seed,
    path,
  };
}
