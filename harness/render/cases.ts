/**
 * A run as test cases, for the formats of test runners and CI services: one case for each vector, forged request and question
 * on fresh data, and one for each other reason why the run fails.
 *
 * @module
 */
import { EXIT } from '../engine/errors.ts';
import type { ForgedOutcome } from '../engine/judge/forgery.ts';
import type { Status } from '../engine/judge/judge.ts';
import type { Outcome, Stale } from '../engine/judge/outcome.ts';
import { isFailure, isForgedFailure, isTolerated } from '../engine/judge/summary.ts';
import type { Report, SubjectKind } from '../engine/report/report.ts';
import { differenceLines } from './difference-lines.ts';
import { harmless } from './harmless.ts';
import { kindOf, type Results } from './reporter.ts';
import { type CauseSentence, causeSentences, joinCauses } from './sentences.ts';
import { labelled, plainTerminal, toLines } from './terminal.ts';
import { implementationName } from './terminal-report.ts';

/** A test case. It passed if it has no `end`. */
export interface Case {
  readonly folder: string;
  readonly name: string;
  readonly end?: 'failure' | 'error' | 'skipped';
  readonly type?: string;
  readonly message?: string;
  readonly text?: string;
  /** The time that the subject took; absent if it was not measured. */
  readonly milliseconds?: number | undefined;
  /** Where the pages of its causes are; `text` has them too. */
  readonly pages?: readonly string[];
  /** Whether the report names a cause of the failure. */
  readonly isExplained?: boolean;
  /** The place of a stale expectation. */
  readonly place?: { readonly file: string; readonly line: string };
}

export interface CaseSuite {
  readonly name: string;
  readonly seed?: number | undefined;
  readonly cases: readonly Case[];
}

/** The suites of a run. If the harness failed, at least one case shows it. */
export function listSuites({ header, reports, ending }: Results): readonly CaseSuite[] {
  const kind = kindOf(header);
  const suites = reports.map((report): CaseSuite => {
    if (!('notRun' in report)) {
      const name = implementationName(report);
      return { name, seed: report.fresh?.seed, cases: casesOf(report, kind) };
    }
    const message = `not run, because ${report.notRun}`;
    const skipped: Case = { folder: kind, name: 'runs', end: 'skipped', message };
    return { name: report.subject.name, cases: [skipped] };
  });
  const hasFailed = ending.isAbandoned || ending.exitCode === EXIT.internalError;
  const isShown = suites.some(({ cases }) => cases.some(isWrong));
  return hasFailed && !isShown ? [...suites, { name: 'svc-conformance', cases: [FAILED] }] : suites;
}

/** The case of a run in which no other case shows that the harness failed. */
const FAILED: Case = {
  folder: 'svc-conformance',
  name: 'finishes',
  end: 'error',
  type: 'aborted',
  message: 'the harness did not finish; see its standard error',
};

/** Whether a case says that something is wrong. */
export function isWrong({ end }: Case): boolean {
  return end === 'failure' || end === 'error';
}

function casesOf(report: Report, kind: SubjectKind): readonly Case[] {
  const { outcomes, forged, fresh } = report;
  const causes = causeSentences(report);
  return [
    ...wholeCases(report, kind),
    ...outcomes.map((outcome) => vectorCase(maskKeys(outcome), causes)),
    ...forged.map((outcome) => forgedCase(outcome, report)),
    ...(fresh?.outcomes ?? []).map((outcome) => vectorCase(maskKeys(outcome), causes)),
    ...report.stale.map(staleCase),
  ];
}

function staleCase({ problem, lines }: Stale): Case {
  const [name = '', file = '', line = ''] = /^(.*):(\d+):\d+(?=: )/.exec(problem) ?? [problem];
  return {
    folder: 'expectations',
    name,
    end: 'failure',
    type: 'stale',
    message: problem,
    text: [problem, ...lines].map(harmless).join('\n'),
    place: { file, line },
  };
}

/** Errors of the run as a whole. */
function wholeCases(
  { neverWorked, internalError, stopReason, unasked }: Report,
  kind: SubjectKind,
): readonly Case[] {
  const [works, ends] =
    kind === 'client' ? ['sends signed requests', 'finishes'] : ['works', 'is asked all questions'];
  const error = (name: string, type: string, message = ''): readonly Case[] =>
    message === '' ? [] : [{ folder: kind, name, end: 'error', type, message }];
  return [
    ...error(works, 'never worked', neverWorked),
    ...error('is judged', 'internal error', internalError),
    ...error(ends, 'aborted', [stopReason ?? [], ...unasked].flat().join('; ')),
  ];
}

/** An error if there was no answer, in contrast to a wrong answer. */
function failedEnd(status: Status): 'error' | 'failure' {
  return ['error', 'crashed', 'timeout', 'garbage'].includes(status) ? 'error' : 'failure';
}

function vectorCase(outcome: Outcome, causes: ReadonlyMap<string, CauseSentence>): Case {
  const { vector, verdict, known, milliseconds } = outcome;
  const folder = vector.id.split('/').slice(0, -1).join('/');
  const named = { folder, name: vector.id, milliseconds };
  if (known) return { ...named, end: 'skipped', message: `known failure: ${known.reason}` };
  if (!isFailure(outcome)) {
    if (verdict.status === 'pass') return named;
    const advised = isTolerated(outcome) && 'advised';
    const message = toLines(advised, verdict.status, verdict.met ?? verdict.message).join(': ');
    return { ...named, end: 'skipped', message };
  }
  const { sentence: cause, pages = [] } = causes.get(vector.id) ?? {};
  const { status, difference } = verdict;
  const shown = difference ? differenceLines(difference, plainTerminal(), '') : [];
  const said = toLines(outcome.unexpectedFailure, verdict.message).map(harmless);
  const message = cause ?? said[0] ?? shown[0] ?? status;
  const why = labelled('why', vector.why);
  const text = toLines(cause, pages.map(pageLine), said, shown, why).join('\n');
  const isExplained = cause !== undefined;
  return { ...named, end: failedEnd(status), type: status, message, pages, text, isExplained };
}

const pageLine = (place: string): string => `page: ${place}`;

function forgedCase(outcome: ForgedOutcome, report: Report): Case {
  const { forgery, verdict, known, milliseconds } = outcome;
  const mistakes = forgery.mistakes.join(', ');
  const named = {
    folder: `${forgery.operation}/forged`,
    name: `${forgery.vector} signed with ${mistakes}`,
    milliseconds,
  };
  const { status } = verdict;
  if (known) return { ...named, end: 'skipped', message: 'known failure' };
  if (status === 'pass') return named;
  const accepted = `${forgery.operation} accepts a request signed with ${mistakes}`;
  const said = status === 'fail' ? accepted : verdict.message;
  if (!isForgedFailure(outcome)) {
    return { ...named, end: 'skipped', message: toLines(status, said).join(': ') };
  }
  const { sentence, pages } = joinCauses(outcome.causes ?? [], report);
  const message = sentence || said;
  const text = toLines(sentence, pages.map(pageLine), harmless(said)).join('\n');
  const isExplained = sentence !== '';
  return { ...named, end: failedEnd(status), type: status, message, pages, text, isExplained };
}

/** Shorter keys are not masked, because they occur in other texts by chance. */
const SHORTEST = 6;

/** The outcome with its private keys replaced by asterisks, in all texts that a report shows. */
export function maskKeys(outcome: Outcome): Outcome {
  const { keys, control } = outcome.vector;
  const secrets = [keys.privateKey, control?.keys?.privateKey ?? ''].filter(
    ({ length }) => length >= SHORTEST,
  );
  const mask = (text: string): string => secrets.reduce(maskKey, text);
  const { verdict } = outcome;
  const { message, difference } = verdict;
  const masked = difference && {
    ...difference,
    expected: mask(difference.expected),
    actual: mask(difference.actual),
    ...(difference.toSign !== undefined && { toSign: mask(difference.toSign) }),
  };
  return {
    ...outcome,
    verdict: { ...verdict, message: mask(message), ...(masked && { difference: masked }) },
  };
}

/** Masks a key both as it is and as messages quote it. */
function maskKey(text: string, key: string): string {
  const quoted = JSON.stringify(key).slice(1, -1);
  return text.replaceAll(key, '*'.repeat(key.length)).replaceAll(quoted, '*'.repeat(quoted.length));
}
