/**
 * The report that programs read: one JSON object per line (schema/report.schema.json).
 *
 * Nothing in it depends on the time or the place of the run, so equal runs give equal reports. The last line says how
 * many lines there are: a file that was cut off has none.
 *
 * @module
 */
import { shortened } from '../adapter/messages.ts';
import type { Subject } from '../adapter/subject.ts';
import type { FoundCause } from '../diagnosis/diagnose.ts';
import { type Insight, Insights } from '../diagnosis/insight.ts';
import { dialectNamed } from '../dialects.ts';
import type { ForgedOutcome } from '../forgeries/outcome.ts';
import type { ShrunkVector } from '../fuzz/shrunk-vector.ts';
import type { Difference } from '../judge/difference.ts';
import type { Outcome, Run } from '../run.ts';
import type { Vector } from '../suite/vector.ts';
import { type Counts, countsOf, internalErrorIn } from '../verdict.ts';
import type { SentRequest } from '../wire/sent-request.ts';
import type { Beginning, JudgedSubject, Reporter } from './reporter.ts';

/** Counts up when a reader of the format before could not read it any more. */
const FORMAT = 1;

/** Longer texts of adapters are cut; in characters. */
const LONGEST_TEXT = 4000;

type Line = Readonly<Record<string, unknown>>;

export function jsonLines(): Reporter {
  let lines = 0;
  const counts: Line[] = [];
  const written = (all: readonly Line[]): string => {
    lines += all.length;
    return all.map((line) => `${JSON.stringify(line, wellFormed)}\n`).join('');
  };
  return {
    begun: (beginning) => written([header(beginning)]),
    judged(judged) {
      if (judged.run) counts.push({ adapter: judged.subject.name, ...countsLine(judged.run) });
      return written(judgedLines(judged));
    },
    ended: ({ exitCode, missing }) =>
      written([{ type: 'footer', counts, notRun: missing, exitCode, lines: lines + 1 }]),
  };
}

/** Half of a surrogate pair, which adapters can write, is no text that every reader of JSON takes. */
function wellFormed(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

function header({ suite, vectors, selection, folder, seed, subjects }: Beginning): Line {
  return {
    type: 'header',
    format: FORMAT,
    suite: suite.version,
    vectors: vectors.length,
    selection: { ...selection, ...(folder !== undefined && { folder }) },
    ...(seed !== undefined && { seed }),
    adapters: subjects.map(subjectLine),
  };
}

/** The commands of the repository's adapters, and of modules, hold paths of this machine; their names say as much. */
function subjectLine({ name, dialect, command, ownAdapter, module, kind }: Subject): Line {
  const isTyped = !ownAdapter && module === undefined && command.length > 0;
  return { name, dialect, ...(kind && { kind }), ...(isTyped && { command }) };
}

function judgedLines({ subject, run, explanation }: JudgedSubject): readonly Line[] {
  const { name: adapter } = subject;
  if (!run) return [{ type: 'adapter', adapter, notRun: subject.missing ?? '' }];
  const { causes = [], unexplained = [], shrunk = [] } = explanation ?? {};
  const explained = new Set(causes.flatMap(({ explains }) => explains));
  const insights = new Insights(dialectNamed(subject.dialect), explained);
  return [
    adapterLine(adapter, run),
    ...run.outcomes.map((outcome) => outcomeLine(subject, outcome, insights)),
    ...(run.forged ?? []).filter(isTelling).map((outcome) => forgedLine(adapter, outcome)),
    ...(run.fresh?.outcomes ?? []).map((outcome) => ({
      ...outcomeLine(subject, outcome, insights),
      type: 'fresh',
    })),
    ...causes.map((cause) => causeLine(adapter, cause)),
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

function adapterLine(adapter: string, run: Run): Line {
  const { hello, neverWorked, over, stale, banner, notes, fresh } = run;
  const internalError = internalErrorIn(run);
  return {
    type: 'adapter',
    adapter,
    ...(hello && { implementation: hello.implementation, operations: hello.operations }),
    ...(neverWorked !== undefined && { neverWorked: shortened(neverWorked, LONGEST_TEXT) }),
    ...(internalError !== undefined && { internalError: shortened(internalError, LONGEST_TEXT) }),
    ...(over !== undefined && { over: shortened(over, LONGEST_TEXT) }),
    ...(stale && stale.length > 0 && { stale: stale.map(({ problem }) => problem) }),
    ...(banner > 0 && { banner }),
    ...(notes && notes.length > 0 && { notes }),
    ...(fresh && { freshSeed: fresh.seed }),
  };
}

function outcomeLine({ name }: Subject, outcome: Outcome, insights: Insights): Line {
  const { vector, verdict, known, otherwise } = outcome;
  const { status, message, met, difference } = verdict;
  return {
    type: 'outcome',
    adapter: name,
    ...namedVector(vector),
    status,
    ...(known && { known: true, reason: known.reason }),
    ...(otherwise !== undefined && { otherwise }),
    ...(message !== '' && { message: shortened(message, LONGEST_TEXT) }),
    ...(met !== undefined && { met }),
    ...(difference && { difference: differenceLine(difference) }),
    ...insightMembers(insights.into(outcome)),
    ...(outcome.sent && { request: requestMember(outcome.sent, status !== 'pass') }),
  };
}

/** What a client sent; of one that is right, nobody asks what should have been signed. */
function requestMember({ lines, ...sent }: SentRequest, isTold: boolean): Line {
  const cut = (text: string): string => shortened(text, LONGEST_TEXT);
  const told = lines.map(({ name, text, origin }, i) => ({
    number: i + 1,
    name: cut(name),
    text: cut(text),
    source: cut(origin),
  }));
  return {
    ...sent,
    url: cut(sent.url),
    ...(isTold && told.length > 0 && { stringToSign: told }),
  };
}

/** What the failure shows by itself; texts as long as those of a difference. */
function insightMembers({ shape, trace }: Insight): Line {
  const cut = (text: string): string => shortened(text, LONGEST_TEXT);
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

/** A forged request that was refused, as it must be, says nothing. */
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
    ...(verdict.message !== '' && { message: shortened(verdict.message, LONGEST_TEXT) }),
  };
}

function namedVector({ id, level, operation, rules }: Vector): Line {
  return { id, level, operation, rules };
}

function differenceLine({ stage, expected, actual, at, toSign }: Difference): Line {
  return {
    stage,
    expected: shortened(expected, LONGEST_TEXT),
    actual: shortened(actual, LONGEST_TEXT),
    at,
    ...(toSign !== undefined && { toSign: shortened(toSign, LONGEST_TEXT) }),
  };
}

function causeLine(
  adapter: string,
  { mistake, confidence, others, within, explains, differing }: FoundCause,
): Line {
  return {
    type: 'cause',
    adapter,
    mistake: mistake.id,
    cause: mistake.wrong,
    fix: mistake.fix,
    rule: mistake.rule,
    confidence,
    others: others.map(({ id }) => id),
    ...(within && { within }),
    ...(differing && { differing }),
    ids: explains,
  };
}

/** The key pair is that of the vector; one that was drawn has its own, which is made up. */
function shrunkLine({ id, failure, beside, isDrawn }: ShrunkVector): Line {
  const { vector, verdict } = failure;
  return {
    id,
    operation: vector.operation,
    ...(isDrawn && { keys: vector.keys }),
    input: vector.input,
    status: verdict.status,
    ...(verdict.message !== '' && { message: shortened(verdict.message, LONGEST_TEXT) }),
    ...(verdict.difference && { difference: differenceLine(verdict.difference) }),
    ...(beside.neighbour && { neighbour: beside.neighbour.what }),
  };
}

function countsLine({ outcomes }: Run): Line {
  const plain = (counts: Counts): Line => Object.fromEntries(counts);
  const { must, observed, advised, open } = countsOf(outcomes);
  return {
    must: plain(must),
    observed: plain(observed),
    advised: plain(advised),
    open: plain(open),
  };
}
