/**
 * JUnit XML, which the common CI services read: a suite for each adapter, a case for each vector.
 *
 * Nothing in it depends on the time of the run: every time is 0.
 *
 * @module
 */
import { EXIT } from '../engine/errors.ts';
import type { ForgedOutcome } from '../engine/judge/forgery.ts';
import type { Status } from '../engine/judge/judge.ts';
import type { Outcome } from '../engine/judge/outcome.ts';
import { isFailure, isForgedFailure, isTolerated } from '../engine/judge/summary.ts';
import {
  type NotRun,
  type Report,
  type SubjectKind,
  subjectKind,
} from '../engine/report/report.ts';
import { differenceLines } from './difference-lines.ts';
import { harmless } from './harmless.ts';
import type { Reporter } from './reporter.ts';
import { causeSentences } from './sentences.ts';
import { plainTerminal } from './terminal.ts';
import { implementationName } from './terminal-report.ts';
import { element, textElement } from './xml.ts';

/** A test case; without `end` it passed. */
interface Case {
  readonly folder: string;
  readonly name: string;
  readonly end?: 'failure' | 'error' | 'skipped';
  readonly type?: string;
  readonly message?: string;
  readonly text?: string;
}

/** The names of cases about a subject as a whole. */
interface Names {
  readonly subject: string;
  readonly works: string;
  readonly ends: string;
  readonly judged: string;
}

const NAMES: Readonly<Record<SubjectKind, Names>> = {
  adapter: { subject: 'adapter', works: 'works', ends: 'is asked everything', judged: 'is judged' },
  server: { subject: 'server', works: 'works', ends: 'is asked everything', judged: 'is judged' },
  client: {
    subject: 'client',
    works: 'sends signed requests',
    ends: 'comes to its end',
    judged: 'is judged',
  },
};

interface CaseSuite {
  readonly name: string;
  readonly seed?: number | undefined;
  readonly cases: readonly Case[];
}

export function junit(): Reporter {
  const suites: CaseSuite[] = [];
  let names = NAMES.adapter;
  return {
    begin(header) {
      names = NAMES[subjectKind(header)];
      return '';
    },
    add(report) {
      suites.push('notRun' in report ? skippedSuite(report, names) : suiteOf(report, names));
      return '';
    },
    end({ exitCode, isAbandoned }) {
      const hasFailed = isAbandoned || exitCode === EXIT.internalError;
      if (hasFailed && suites.every(({ cases }) => cases.every(isRight))) {
        suites.push({ name: 'svc-conformance', cases: [FAILED] });
      }
      const all = totals(suites.flatMap(({ cases }) => cases));
      const attributes = { name: 'svc-conformance', ...all, time: 0 };
      return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', attributes, suites.map(suiteElement))}`;
    },
  };
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

function suiteElement({ name, seed, cases }: CaseSuite): string {
  const skipped = countEnded(cases, 'skipped');
  const attributes = { name, ...totals(cases), skipped, time: 0 };
  return element('testsuite', attributes, [...properties(seed), ...cases.map(caseElement)]);
}

/** The seed repeats the questions on fresh data. */
function properties(seed: number | undefined): readonly string[] {
  if (seed === undefined) return [];
  return [element('properties', {}, [element('property', { name: 'seed', value: seed }, [])])];
}

/** For a run in which no other case shows that the harness failed. */
const FAILED: Case = {
  folder: 'svc-conformance',
  name: 'comes to its end',
  end: 'error',
  type: 'aborted',
  message: 'the harness did not come to its end; see its standard error',
};

function isRight({ end }: Case): boolean {
  return end !== 'error' && end !== 'failure';
}

function totals(cases: readonly Case[]): Readonly<Record<string, number>> {
  return {
    tests: cases.length,
    failures: countEnded(cases, 'failure'),
    errors: countEnded(cases, 'error'),
  };
}

function countEnded(cases: readonly Case[], how: Case['end']): number {
  return cases.filter(({ end }) => end === how).length;
}

function caseElement({ folder, name, end, type, message = '', text = '' }: Case): string {
  const attributes = { classname: folder, name, time: 0 };
  if (end === undefined) return element('testcase', attributes, []);
  const details = { ...(end !== 'skipped' && { type: type ?? end }), message };
  const inside =
    end === 'skipped'
      ? element(end, details, [])
      : textElement(end, details, text || harmless(message));
  return element('testcase', attributes, [inside]);
}

function casesOf(report: Report, names: Names): readonly Case[] {
  const { outcomes, forged, fresh } = report;
  const causes = causeSentences(report);
  return [
    ...wholeCases(report, names),
    ...outcomes.map((outcome) => vectorCase(outcome, causes)),
    ...forged.map(forgedCase),
    ...(fresh?.outcomes ?? []).map((outcome) => vectorCase(outcome, causes)),
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

/** No answer, in contrast to a wrong one. */
const ERRORS: readonly Status[] = ['error', 'crashed', 'timeout', 'garbage'];

function vectorCase(outcome: Outcome, causes: ReadonlyMap<string, string>): Case {
  const { vector, verdict, known } = outcome;
  const named = { folder: vector.id.split('/').slice(0, -1).join('/'), name: vector.id };
  if (known) return { ...named, end: 'skipped', message: `known failure: ${known.reason}` };
  if (!isFailure(outcome)) {
    if (verdict.status === 'pass') return named;
    const advised = isTolerated(outcome) ? 'advised' : '';
    const message = [advised, verdict.status, verdict.met ?? verdict.message]
      .filter(Boolean)
      .join(': ');
    return { ...named, end: 'skipped', message };
  }
  const cause = causes.get(vector.id);
  const { difference } = verdict;
  const shown = difference ? differenceLines(difference, plainTerminal(), '') : [];
  const said = [outcome.unexpectedFailure ?? '', verdict.message].filter(Boolean).map(harmless);
  return {
    ...named,
    end: ERRORS.includes(verdict.status) ? 'error' : 'failure',
    type: verdict.status,
    message: cause ?? said[0] ?? shown[0] ?? verdict.status,
    text: [...(cause === undefined ? [] : [cause]), ...said, ...shown, `why ${vector.why}`].join(
      '\n',
    ),
  };
}

function forgedCase(outcome: ForgedOutcome): Case {
  const { forgery, verdict, known } = outcome;
  const mistakes = forgery.mistakes.join(', ');
  const named = {
    folder: `${forgery.operation}/forged`,
    name: `${forgery.vector} signed with ${mistakes}`,
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
  return {
    ...named,
    end: ERRORS.includes(verdict.status) ? 'error' : 'failure',
    type: verdict.status,
    message:
      verdict.status === 'fail'
        ? `${forgery.operation} accepts a request signed with ${mistakes}`
        : verdict.message,
  };
}
