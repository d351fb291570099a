/**
 * What is known about an operation by now, and whether a failure adds to it.
 *
 * @module
 */
import type { Mistake } from '../../reference/mistakes/index.ts';
import { isMistake } from '../diagnosis/diagnose.ts';
import type { Observation } from '../diagnosis/observation.ts';
import { combinations, type Explainer } from './explanation.ts';
import type { Finding } from './finding.ts';
import type { Failure } from './trial.ts';

/** An operation is left alone once so many investigations brought nothing new. */
const IDLE = 4;

/** So many wrong answers beside one that nothing explains are looked at for a mistake that is known. */
const UNEXPLAINED = 12;

/** An operation is left alone once it broke the adapter so often after that was found; a hang takes its time. */
const MOST_BREAKS = 12;
const BREAKS_OF_A_HANG = 6;

/** What is known about an operation by now. */
export interface Progress {
  readonly operation: string;
  readonly findings: Finding[];
  readonly keys: Set<string>;
  readonly right: Observation[];
  /** Wrong answers of the round. */
  wrong: readonly Observation[];
  idle: number;
  breaks: number;
  /** Wrong answers that nothing explains, as far as they were looked at. */
  unexplained: number;
}

export function noProgress(operation: string): Progress {
  return {
    operation,
    findings: [],
    keys: new Set(),
    right: [],
    wrong: [],
    idle: 0,
    breaks: 0,
    unexplained: 0,
  };
}

/** Counts how often an operation broke the adapter after that was found. */
export function brokeAgain(progress: Progress, failure: Failure): void {
  const { status } = failure.verdict;
  if (!isBreak(failure) || !progress.keys.has(status)) return;
  progress.breaks += status === 'timeout' ? BREAKS_OF_A_HANG : 1;
}

export function isLeft({ idle, breaks }: Progress): boolean {
  return idle >= IDLE || breaks >= MOST_BREAKS;
}

function isBreak({ verdict: { status } }: Failure): boolean {
  return status === 'crashed' || status === 'timeout';
}

/** Whether a failure may be another than those found before. */
export function isNews(
  { explainer }: { readonly explainer: Explainer },
  progress: Progress,
  failure: Failure,
): boolean {
  const { keys, findings, right } = progress;
  if (findings.length === 0) return true;
  const { status } = failure.verdict;
  if (status !== 'fail' && status !== 'refused') return !keys.has(status);
  if (explainer.isExplained(failure, combinations(mistakesIn([{ findings }])))) return false;
  if (!keys.has('unexplained')) return true;
  return progress.unexplained++ < UNEXPLAINED && explainer.hasCandidate(failure, right);
}

/** Every mistake that was found, once. */
export function mistakesIn(all: readonly Pick<Progress, 'findings'>[]): readonly Mistake[] {
  const causes = all.flatMap(({ findings }) => findings.flatMap((finding) => finding.causes));
  return [...new Set(causes.map(({ mistake }) => mistake).filter(isMistake))];
}
