/**
 * The report that programs read: one JSON object per line (schema/report.schema.json).
 *
 * Nothing in it depends on the time or the place of the run, so equal runs give equal reports; only a shard has times,
 * which `merge` writes as JUnit. The last line has the number of lines, so that readers notice a truncated file.
 *
 * @module
 */
import type { FoundCause } from '../engine/diagnosis/diagnose.ts';
import type { ShrunkVector } from '../engine/diagnosis/explanation.ts';
import { shorten } from '../engine/excerpt.ts';
import type { Insight } from '../engine/insight/insight.ts';
import type { Difference } from '../engine/judge/comparison.ts';
import type { ForgedOutcome } from '../engine/judge/forgery.ts';
import type { Outcome } from '../engine/judge/outcome.ts';
import { causePage } from '../engine/report/cause-page.ts';
import type { Header, NotRun, Report } from '../engine/report/report.ts';
import type { Subject } from '../engine/respondent.ts';
import type { SentRequest } from '../engine/sent-request.ts';
import type { Vector } from '../engine/vector.ts';
import type { Reporter } from './reporter.ts';

/** Incremented when readers of the previous format can no longer read it. */
const FORMAT = 1;

/** Longer texts of adapters are cut; in characters. */
const LONGEST_TEXT = 4000;

type Line = object;

export function jsonLines(): Reporter {
  let lines = 0;
  const counts: Line[] = [];
  const written = (all: readonly Line[]): string => {
    lines += all.length;
    return all.map((line) => `${JSON.stringify(line, wellFormed)}\n`).join('');
  };
  return {
    begin: (header) => written([headerLine(header)]),
    add(report) {
      if (!('notRun' in report)) {
        counts.push({ adapter: report.subject.name, ...countsLine(report) });
      }
      return written(reportLines(report));
    },
    end: ({ exitCode, missing }) =>
      written([{ type: 'footer', counts, notRun: missing, exitCode, lines: lines + 1 }]),
  };
}

/** Adapters can write unpaired surrogates, which not every reader of JSON accepts. */
function wellFormed(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

function headerLine({ suite, vectors, selection, folder, shard, seed, subjects }: Header): Line {
  return {
    type: 'header',
    format: FORMAT,
    suite: suite.version,
    vectors: vectors.length,
    selection: { ...selection, ...(folder !== undefined && { folder }) },
    ...(shard && { shard }),
    ...(seed !== undefined && { seed }),
    adapters: subjects.map(subjectLine),
  };
}

/** Commands of bundled adapters and modules contain paths of this machine, so only their names are shown. */
function subjectLine(subject: Subject): Line {
  const { name, dialect, command, wire, isBundled, module, kind } = subject;
  const isTyped = !isBundled && module === undefined && command.length > 0;
  return {
    name,
    dialect,
    ...(kind && { kind }),
    ...(isTyped && { command, ...(wire === 'tabs' && { wire }) }),
  };
}

function reportLines(report: Report | NotRun): readonly Line[] {
  const { name: adapter } = report.subject;
  if ('notRun' in report) return [{ type: 'adapter', adapter, notRun: report.notRun }];
  const { outcomes, forged, fresh, causes, unexplained, shrunk } = report;
  return [
    adapterLine(report),
    ...outcomes.map((outcome) => outcomeLine(outcome, report)),
    ...forged.filter(isTelling).map((outcome) => forgedLine(adapter, outcome)),
    ...(fresh?.outcomes ?? []).map((outcome) => ({
      ...outcomeLine(outcome, report),
      type: 'fresh',
    })),
    ...causes.map((cause) => causeLine(cause, report)),
    ...(unexplained.length > 0
      ? [
          {
            type: 'unexplained',
            adapter,
            confidence: 'unexplained',
            ids: unexplained,
            smallest: shrunk.map(shrunkLine),
          },
        ]
      : []),
  ];
}

function adapterLine(report: Report): Line {
  const { subject, hello, neverWorked, stopReason, internalError, stale, banner, notes } = report;
  const { fresh, forged } = report;
  return {
    type: 'adapter',
    adapter: subject.name,
    ...(hello && { implementation: hello.implementation, operations: hello.operations }),
    ...(neverWorked !== undefined && { neverWorked: shorten(neverWorked, LONGEST_TEXT) }),
    ...(internalError !== undefined && { internalError: shorten(internalError, LONGEST_TEXT) }),
    ...(stopReason !== undefined && { over: shorten(stopReason, LONGEST_TEXT) }),
    ...(stale.length > 0 && { stale: stale.map(({ problem }) => problem) }),
    ...(banner > 0 && { banner }),
    ...(notes.length > 0 && { notes }),
    ...(fresh && { freshSeed: fresh.seed }),
    ...(forged.length > 0 && { forged: forged.length }),
  };
}

function outcomeLine(outcome: Outcome, { header, subject, details }: Report): Line {
  const { vector, verdict, known, unexpectedFailure, milliseconds } = outcome;
  const { status, message, met, difference } = verdict;
  return {
    type: 'outcome',
    adapter: subject.name,
    ...namedVector(vector),
    status,
    ...(header.shard && milliseconds !== undefined && { milliseconds: toMicro(milliseconds) }),
    ...(known && { known: true, reason: known.reason }),
    ...(unexpectedFailure !== undefined && { otherwise: unexpectedFailure }),
    ...(message !== '' && { message: shorten(message, LONGEST_TEXT) }),
    ...(met !== undefined && { met }),
    ...(difference && { difference: differenceLine(difference) }),
    ...(details && insightMembers(details.insights.inspect(outcome))),
    ...(outcome.sent && { request: requestMember(outcome.sent, status !== 'pass') }),
  };
}

/** Rounds milliseconds to microseconds. */
function toMicro(milliseconds: number): number {
  return Math.round(1000 * milliseconds) / 1000;
}

/** A request of a client. Only wrong requests show their string to sign. */
function requestMember({ lines, ...sent }: SentRequest, isShown: boolean): Line {
  const cut = (text: string): string => shorten(text, LONGEST_TEXT);
  const shown = lines.map(({ name, text, origin }, i) => ({
    number: i + 1,
    name: cut(name),
    text: cut(text),
    source: cut(origin),
  }));
  return {
    ...sent,
    url: cut(sent.url),
    ...(isShown && shown.length > 0 && { stringToSign: shown }),
  };
}

/** The shape of the answer and its trace. */
function insightMembers({ shape, trace }: Insight): Line {
  const cut = (text: string): string => shorten(text, LONGEST_TEXT);
  return {
    ...(shape && { shape }),
    ...(trace && {
      trace: {
        spans: trace.spans.map((span) => ({
          ...span,
          part: cut(span.part),
          expected: cut(span.expected),
          actual: cut(span.actual),
        })),
        notes: trace.notes.map(cut),
      },
    }),
  };
}

/** Whether a forged request is reported: unless it was correctly refused. */
function isTelling({ verdict }: ForgedOutcome): boolean {
  return verdict.status !== 'pass';
}

function forgedLine(adapter: string, { forgery, verdict, known }: ForgedOutcome): Line {
  return {
    type: 'forged',
    adapter,
    operation: forgery.operation,
    id: forgery.vector,
    mistakes: forgery.mistakes,
    status: verdict.status,
    ...(known && { known }),
    ...(verdict.message !== '' && { message: shorten(verdict.message, LONGEST_TEXT) }),
  };
}

function namedVector({ id, level, operation, rules }: Vector): Line {
  return { id, level, operation, rules };
}

function differenceLine({ stage, expected, actual, at, toSign }: Difference): Line {
  return {
    stage,
    expected: shorten(expected, LONGEST_TEXT),
    actual: shorten(actual, LONGEST_TEXT),
    at,
    ...(toSign !== undefined && { toSign: shorten(toSign, LONGEST_TEXT) }),
  };
}

function causeLine(
  { mistake, confidence, others, within, explains, differing }: FoundCause,
  { header, subject }: Report,
): Line {
  return {
    type: 'cause',
    adapter: subject.name,
    mistake: mistake.id,
    cause: mistake.wrong,
    fix: mistake.fix,
    rule: mistake.rule,
    page: causePage(mistake.id, header.suite),
    confidence,
    others: others.map(({ id }) => id),
    ...(within && { within }),
    ...(differing && { differing }),
    ids: explains,
  };
}

/** A smallest request. Only a drawn request shows its key pair, because others have the pair of their vector. */
function shrunkLine(shrunk: ShrunkVector): Line {
  const { id, vector, verdict, neighbour, besides, isDrawn } = shrunk;
  return {
    id,
    operation: vector.operation,
    ...(isDrawn && { keys: vector.keys }),
    input: vector.input,
    status: verdict.status,
    ...(verdict.message !== '' && { message: shorten(verdict.message, LONGEST_TEXT) }),
    ...(verdict.difference && { difference: differenceLine(verdict.difference) }),
    ...(neighbour && { neighbour: neighbour.what }),
    besides,
  };
}

function countsLine({ counts }: Report): Line {
  const levels = Object.entries(counts).map(
    ([level, of]) => [level, Object.fromEntries(of)] as const,
  );
  return Object.fromEntries(levels);
}
