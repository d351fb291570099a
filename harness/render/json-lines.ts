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
import type { Reporter } from './reporter.ts';

/** Incremented when readers of the previous format can no longer read it. */
const FORMAT = 1;

/** Longer texts of adapters are cut; in characters. */
const LONGEST_TEXT = 4000;

/** Members that are undefined are not written. */
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
        const levels = Object.entries(report.counts);
        const byLevel = levels.map(([level, of]) => [level, Object.fromEntries(of)] as const);
        counts.push({ adapter: report.subject.name, ...Object.fromEntries(byLevel) });
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
    selection: { ...selection, folder },
    shard,
    seed,
    adapters: subjects.map(subjectLine),
  };
}

/** Commands of bundled adapters and modules contain paths of this machine, so only their names are shown. */
function subjectLine(subject: Subject): Line {
  const { name, dialect, command, wire, isBundled, module, kind } = subject;
  const isTyped = !isBundled && module === undefined && command.length > 0;
  const typed = { command, wire: wire === 'tabs' ? wire : undefined };
  return { name, dialect, kind, ...(isTyped && typed) };
}

function reportLines(report: Report | NotRun): readonly Line[] {
  const { name: adapter } = report.subject;
  if ('notRun' in report) return [{ type: 'adapter', adapter, notRun: report.notRun }];
  const { outcomes, forged, fresh, causes, unexplained, shrunk } = report;
  // A forged request that was correctly refused shows nothing.
  const telling = forged.filter(({ verdict }) => verdict.status !== 'pass');
  const rest = { type: 'unexplained', adapter, confidence: 'unexplained', ids: unexplained };
  return [
    adapterLine(report),
    ...outcomes.map((outcome) => outcomeLine('outcome', outcome, report)),
    ...telling.map((outcome) => forgedLine(adapter, outcome)),
    ...(fresh?.outcomes ?? []).map((one) => ({
      ...outcomeLine('fresh', one, report),
      causes: one.causes,
    })),
    ...causes.map((cause) => causeLine(cause, report)),
    ...(unexplained.length > 0 ? [{ ...rest, smallest: shrunk.map(shrunkLine) }] : []),
  ];
}

/** Cuts a long text of an adapter. */
function cut(text: string): string;
function cut(text: string | undefined): string | undefined;
function cut(text: string | undefined): string | undefined {
  return text === undefined ? undefined : shorten(text, LONGEST_TEXT);
}

function adapterLine(report: Report): Line {
  const { subject, hello, neverWorked, stopReason, internalError, stale, banner, notes } = report;
  const { fresh, forged } = report;
  return {
    type: 'adapter',
    adapter: subject.name,
    implementation: hello?.implementation,
    operations: hello?.operations,
    neverWorked: cut(neverWorked),
    internalError: cut(internalError),
    over: cut(stopReason),
    stale: stale.length > 0 ? stale.map(({ problem }) => problem) : undefined,
    banner: banner || undefined,
    notes: notes.length > 0 ? notes : undefined,
    freshSeed: fresh?.seed,
    forged: forged.length || undefined,
  };
}

function outcomeLine(
  type: 'outcome' | 'fresh',
  outcome: Outcome,
  { header, subject, details }: Report,
): Line {
  const { vector, verdict, known, unexpectedFailure, milliseconds } = outcome;
  const { id, level, operation, rules } = vector;
  const { status, message, met, difference } = verdict;
  return {
    type,
    adapter: subject.name,
    id,
    level,
    operation,
    rules,
    status,
    milliseconds: header.shard && roundTime(milliseconds),
    known: known ? true : undefined,
    reason: known?.reason,
    otherwise: unexpectedFailure,
    message: cut(message) || undefined,
    met,
    difference: difference && differenceLine(difference),
    ...(details && insightMembers(details.insights.inspect(outcome))),
    request: outcome.sent && requestMember(outcome.sent, status !== 'pass'),
  };
}

/** Rounds milliseconds to microseconds. */
function roundTime(milliseconds: number | undefined): number | undefined {
  return milliseconds && Math.round(1000 * milliseconds) / 1000;
}

/** A request of a client. Only wrong requests show their string to sign. */
function requestMember({ lines, ...sent }: SentRequest, isShown: boolean): Line {
  const shown = lines.map(({ name, text, origin }, i) => ({
    number: i + 1,
    name: cut(name),
    text: cut(text),
    source: cut(origin),
  }));
  const stringToSign = isShown && shown.length > 0 ? shown : undefined;
  return { ...sent, url: cut(sent.url), stringToSign };
}

/** The shape of the answer and its trace. */
function insightMembers({ shape, trace }: Insight): Line {
  const spans = trace?.spans.map((span) => ({
    ...span,
    part: cut(span.part),
    expected: cut(span.expected),
    actual: cut(span.actual),
  }));
  return { shape, trace: trace && { spans, notes: trace.notes.map((note) => cut(note)) } };
}

function forgedLine(adapter: string, { forgery, verdict, known, causes }: ForgedOutcome): Line {
  return {
    type: 'forged',
    adapter,
    operation: forgery.operation,
    id: forgery.vector,
    mistakes: forgery.mistakes,
    status: verdict.status,
    known: known || undefined,
    message: cut(verdict.message) || undefined,
    causes,
  };
}

function differenceLine({ expected, actual, toSign, ...difference }: Difference): Line {
  return { ...difference, expected: cut(expected), actual: cut(actual), toSign: cut(toSign) };
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
    within,
    differing,
    ids: explains,
  };
}

/** A smallest request. Only a drawn request shows its key pair, because others have the pair of their vector. */
function shrunkLine(shrunk: ShrunkVector): Line {
  const { id, vector, verdict, neighbour, besides, isDrawn } = shrunk;
  return {
    id,
    operation: vector.operation,
    keys: isDrawn ? vector.keys : undefined,
    input: vector.input,
    status: verdict.status,
    message: cut(verdict.message) || undefined,
    difference: verdict.difference && differenceLine(verdict.difference),
    neighbour: neighbour?.what,
    besides,
  };
}
