/**
 * A run as test cases, for the formats of test runners and CI services: one case for each vector, forged request and question
 * on fresh data, and one for each other reason why the run fails.
 *
 * @module
 */
import { EXIT } from '../engine/errors.ts';
import type { ForgedOutcome } from '../engine/judge/forgery.ts';
import type { Status } from '../engine/judge/judge.ts';
import type { Outcome } from '../engine/judge/outcome.ts';
import { isFailure, isForgedFailure, isTolerated } from '../engine/judge/summary.ts';
import { causePageLine } from '../engine/report/cause-page.ts';
import type { Header, NotRun, Report, SubjectKind } from '../engine/report/report.ts';
import { differenceLines } from './difference-lines.ts';
import { harmless } from './harmless.ts';
import { kindOf, type Results } from './reporter.ts';
import { type CauseSentence, causeSentences } from './sentences.ts';
import { plainTerminal } from './terminal.ts';
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
}

/** The names of cases about a subject as a whole. */
interface Names {
  readonly subject: string;
  readonly works: string;
  readonly ends: string;
  readonly judged: string;
}

const NAMES: Readonly<Record<SubjectKind, Names>> = {
  adapter: {
    subject: 'adapter',
    works: 'works',
    ends: 'is asked all questions',
    judged: 'is judged',
  },
  server: {
    subject: 'server',
    works: 'works',
    ends: 'is asked all questions',
    judged: 'is judged',
  },
  client: {
    subject: 'client',
    works: 'sends signed requests',
    ends: 'finishes',
    judged: 'is judged',
  },
};

export interface CaseSuite {
  readonly name: string;
  readonly seed?: number | undefined;
  readonly cases: readonly Case[];
}

/** The suites of a run. If the harness failed, at least one case shows it. */
export function listSuites({ header, reports, ending }: Results): readonly CaseSuite[] {
  const names = NAMES[kindOf(header)];
  const suites = reports.map((report) =>
    'notRun' in report ? skippedSuite(report, names) : suiteOf(report, names),
  );
  const hasFailed = ending.isAbandoned || ending.exitCode === EXIT.internalError;
  const isShown = suites.some(({ cases }) => cases.some(isWrong));
  return hasFailed && !isShown ? [...suites, { name: 'svc-conformance', cases: [FAILED] }] : suites;
}

function skippedSuite({ subject, notRun }: NotRun, names: Names): CaseSuite {
  const message = `not run, because ${notRun}`;
  const skipped: Case = { folder: names.subject, name: 'runs', end: 'skipped', message };
  return { name: subject.name, cases: [skipped] };
}

function suiteOf(report: Report, names: Names): CaseSuite {
  const name = implementationName(report);
  return { name, seed: report.fresh?.seed, cases: casesOf(report, names) };
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

function casesOf(report: Report, names: Names): readonly Case[] {
  const { outcomes, forged, fresh } = report;
  const causes = causeSentences(report);
  return [
    ...wholeCases(report, names),
    ...outcomes.map((outcome) => vectorCase(maskKeys(outcome), causes)),
    ...forged.map((outcome) => forgedCase(outcome, report.header)),
    ...(fresh?.outcomes ?? []).map((outcome) => vectorCase(maskKeys(outcome), causes)),
    ...report.stale.map(
      ({ problem, lines }): Case => ({
        folder: 'expectations',
        name: problem.split(': ')[0] ?? problem,
        end: 'failure',
        type: 'stale',
        message: problem,
        text: [problem, ...lines].map(harmless).join('\n'),
      }),
    ),
  ];
}

/** Errors of the run as a whole. */
function wholeCases(
  { neverWorked, internalError, stopReason, unasked }: Report,
  names: Names,
): readonly Case[] {
  const error = (name: string, type: string, message: string | undefined): readonly Case[] =>
    message === undefined || message === ''
      ? []
      : [{ folder: names.subject, name, end: 'error', type, message }];
  return [
    ...error(names.works, 'never worked', neverWorked),
    ...error(names.judged, 'internal error', internalError),
    ...error(names.ends, 'aborted', [stopReason ?? [], ...unasked].flat().join('; ')),
  ];
}

/** The statuses of vectors without an answer, in contrast to wrong answers. */
const ERRORS: readonly Status[] = ['error', 'crashed', 'timeout', 'garbage'];

function vectorCase(outcome: Outcome, causes: ReadonlyMap<string, CauseSentence>): Case {
  const { vector, verdict, known, milliseconds } = outcome;
  const folder = vector.id.split('/').slice(0, -1).join('/');
  const named = { folder, name: vector.id, milliseconds };
  if (known) return { ...named, end: 'skipped', message: `known failure: ${known.reason}` };
  if (!isFailure(outcome)) {
    if (verdict.status === 'pass') return named;
    const advised = isTolerated(outcome) ? 'advised' : '';
    const message = [advised, verdict.status, verdict.met ?? verdict.message]
      .filter(Boolean)
      .join(': ');
    return { ...named, end: 'skipped', message };
  }
  const { sentence: cause, pages = [] } = causes.get(vector.id) ?? {};
  const { difference } = verdict;
  const shown = difference ? differenceLines(difference, plainTerminal(), '') : [];
  const said = [outcome.unexpectedFailure ?? '', verdict.message].filter(Boolean).map(harmless);
  return {
    ...named,
    end: ERRORS.includes(verdict.status) ? 'error' : 'failure',
    type: verdict.status,
    message: cause ?? said[0] ?? shown[0] ?? verdict.status,
    pages,
    text: [
      ...(cause === undefined ? [] : [cause]),
      ...pages,
      ...said,
      ...shown,
      `why ${vector.why}`,
    ].join('\n'),
  };
}

function forgedCase(outcome: ForgedOutcome, { suite }: Header): Case {
  const { forgery, verdict, known, milliseconds } = outcome;
  const mistakes = forgery.mistakes.join(', ');
  const named = {
    folder: `${forgery.operation}/forged`,
    name: `${forgery.vector} signed with ${mistakes}`,
    milliseconds,
  };
  if (known) return { ...named, end: 'skipped', message: 'known failure' };
  if (!isForgedFailure(outcome)) {
    return verdict.status === 'pass'
      ? named
      : {
          ...named,
          end: 'skipped',
          message: [verdict.status, verdict.message].filter(Boolean).join(': '),
        };
  }
  const message =
    verdict.status === 'fail'
      ? `${forgery.operation} accepts a request signed with ${mistakes}`
      : verdict.message;
  const pages = forgery.mistakes.map((id) => causePageLine(id, suite));
  return {
    ...named,
    end: ERRORS.includes(verdict.status) ? 'error' : 'failure',
    type: verdict.status,
    message,
    pages,
    text: [harmless(message), ...pages].join('\n'),
  };
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
  if (!difference) return { ...outcome, verdict: { ...verdict, message: mask(message) } };
  const { expected, actual, toSign } = difference;
  const masked = {
    ...difference,
    expected: mask(expected),
    actual: mask(actual),
    ...(toSign !== undefined && { toSign: mask(toSign) }),
  };
  return { ...outcome, verdict: { ...verdict, message: mask(message), difference: masked } };
}

/** Masks a key both as it is and as messages quote it. */
function maskKey(text: string, key: string): string {
  const quoted = JSON.stringify(key).slice(1, -1);
  return text.replaceAll(key, '*'.repeat(key.length)).replaceAll(quoted, '*'.repeat(quoted.length));
}
