/**
 * Outcomes of vectors (replies and verdicts), the failures that are expected of them, and the run that contains them.
 *
 * @module
 */
import { resultStages } from '../../../reference/operations.ts';
import type { HelloReply, Question, Reply } from '../protocol.ts';
import type { Timed } from '../respondent.ts';
import type { SentRequest } from '../sent-request.ts';
import type { BareVector, Vector } from '../vector.ts';
import type { ForgedOutcome, Forgery } from './forgery.ts';
import { judge, judgeSafely, type Status, type Verdict } from './judge.ts';

/** A range of lines of the file. */
export type Lines = readonly [first: number, last: number];

/** A glob over the ids of vectors, or the names of forged requests, that should fail. */
export interface Pattern {
  readonly glob: string;
  readonly matches: RegExp;
  /** `file:line:column`. */
  readonly place: string;
  readonly lines: Lines;
}

export interface Expectation {
  readonly about: 'vectors' | 'forged';
  readonly patterns: readonly Pattern[];
  readonly status: Status;
  /** The ids of the mistakes that cause the failure together, or `unexplained`. Without causes, any cause is expected. */
  readonly causes?: readonly string[];
  readonly reason: string;
  readonly issue?: string;
  /** The last day on which the entry applies, `YYYY-MM-DD`. */
  readonly until?: string;
  readonly place: string;
  readonly lines: Lines;
}

export interface Expectations {
  /** The text of the file, line by line. */
  readonly text: readonly string[];
  readonly entries: readonly Expectation[];
  /** Whether every pattern must match a vector; `false` if the run uses vectors from another folder. */
  readonly mustMatch: boolean;
  /** `YYYY-MM-DD`, in UTC. */
  readonly today: string;
  /** All forged requests of the package. */
  readonly forged: () => readonly Forgery[];
}

/** A stale entry of a file of expectations, and the lines to remove. */
export interface Stale {
  /** `file:line:column: what, and which lines to remove`. */
  readonly problem: string;
  readonly first: number;
  readonly lines: readonly string[];
}

/** The name of the cause of failures that no known mistake explains. */
export const UNEXPLAINED = 'unexplained';

/** How reports name these failures. @param word "unexplained", as the format writes it */
export const unexplainedPhrase = (word: string): string => `${word} by any known mistake`;

export interface Outcome {
  readonly vector: Vector;
  readonly verdict: Verdict;
  readonly reply: Reply;
  /** The reply to the control of a refusal. */
  readonly controlReply?: Reply;
  /** The time that the respondent took for the vector and its control; absent if it was not measured. */
  readonly milliseconds?: number;
  /** The client's request, if a request was judged instead of an answer. */
  readonly sent?: SentRequest;
  /** Whether a failure of an advised vector fails the run. */
  readonly isEnforced?: boolean;
  /** Set if the adapter's expectations name this failure: their causes, if any, and their reasons. */
  readonly known?: { readonly causes: readonly string[]; readonly reason: string };
  /** Says, in a sentence, that the expectations name another status or cause for this vector. */
  readonly unexpectedFailure?: string;
  /** The causes of this failure that the expectations name, if it has further ones. */
  readonly expectedCauses?: readonly string[];
}

export interface Run {
  /** The adapter's reply to hello; absent if there was none. */
  readonly hello?: HelloReply;
  readonly outcomes: readonly Outcome[];
  readonly forged?: readonly ForgedOutcome[];
  readonly fresh?: Fresh;
  /** Why there is nothing to judge: the adapter never gave a result. */
  readonly neverWorked?: string;
  /** Why the run stopped early. */
  readonly stopReason?: string;
  /** Why the harness itself failed, as a sentence. The outcomes until then are kept. */
  readonly internalError?: string;
  readonly stale?: readonly Stale[];
  /** How many lines the adapter printed before its reply to hello. */
  readonly banner: number;
  /** Further remarks on the run, as sentences. */
  readonly notes?: readonly string[];
}

/** Vectors that the adapter passed, repeated on unpublished data, so that recorded answers fail. */
export interface Fresh {
  readonly seed: number;
  readonly outcomes: readonly FreshOutcome[];
}

export interface FreshOutcome extends Outcome {
  /** The ids of the causes that explain the failure; absent if none does. */
  readonly causes?: readonly string[];
}

/** Judges the replies to a vector and its control, with the time for both. */
export function judgeVector(
  vector: Vector,
  { reply, milliseconds }: Timed,
  control?: Timed,
  verdict: Verdict = judgeSafely(vector, reply, control?.reply),
): Outcome {
  const times = [milliseconds, control?.milliseconds].filter((time) => time !== undefined);
  return {
    vector,
    verdict,
    reply,
    ...(control && { controlReply: control.reply }),
    ...(times.length > 0 && { milliseconds: times.reduce((sum, time) => sum + time) }),
  };
}

export function toQuestion({ operation, keys, input }: Vector): Question {
  return { operation, keys, input };
}

export function toControlQuestion({ operation, keys, input, control }: BareVector): Question {
  return { operation, keys: control?.keys ?? keys, input: { ...input, ...control?.input } };
}

/** The name of a question in a run. */
export function questionName(id: string, isControl: boolean): string {
  return isControl ? `${id} control` : id;
}

/** Checks that the judge can fail: judges a correct reply against a corrupted expectation. */
export function checkJudge(vector: Vector, reply: Reply = { kind: 'unsupported' }): void {
  if (judge(vector, reply).status !== 'pass') return;
  const corrupted = Object.fromEntries(
    resultStages(vector.operation).map((stage) => [stage, `${String(vector.expect?.[stage])}!`]),
  );
  if (judge({ ...vector, expect: { ...vector.expect, ...corrupted } }, reply).status === 'pass') {
    throw new Error(`the judge passes ${vector.id} against a corrupted expectation`);
  }
}
