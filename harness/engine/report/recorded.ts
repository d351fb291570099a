/**
 * Restores a run from the lines of its report.
 *
 * A report does not record whole replies. They are restored only as far as the verdicts on verifiers need them.
 *
 * @module
 */
import type { FoundCause } from '../diagnosis/diagnose.ts';
import type { Explanation, ShrunkVector } from '../diagnosis/explanation.ts';
import { findMistakeById } from '../expectations/names.ts';
import type { RecordedOutcome } from '../insight/insight.ts';
import { type ForgedOutcome, type Forgery, selectForgeries } from '../judge/forgery.ts';
import type { FreshOutcome, Run } from '../judge/outcome.ts';
import type { Reply } from '../protocol.ts';
import type { Stages, Vector } from '../vector.ts';
import type {
  AdapterLine,
  CauseLine,
  ForgedLine,
  OutcomeLine,
  RecordedAdapter,
  SmallestLine,
} from './lines.ts';

/** Data that a report leaves out because the package contains it. */
export interface Background {
  readonly vectors: readonly Vector[];
  readonly forgeries: readonly Forgery[];
}

/** @throws Error if a line names an unknown vector */
export function restoreRun(
  { line, outcomes, forged, fresh }: RecordedAdapter,
  { vectors, forgeries }: Background,
): Run {
  const byId = new Map(vectors.map((vector) => [vector.id, vector]));
  const order = new Map(vectors.map(({ id }, i) => [id, i]));
  const restore = (lines: readonly OutcomeLine[]): readonly FreshOutcome[] =>
    lines
      .toSorted((a, b) => (order.get(plainId(a)) ?? 0) - (order.get(plainId(b)) ?? 0))
      .map((one) => restoreOutcome(one, byId.get(plainId(one))));
  const { neverWorked, over, internalError, notes, stale, banner = 0, freshSeed } = line;
  const { implementation, operations = [] } = line;
  const forgedOutcomes = restoreForged(line, forged, forgeries);
  return {
    outcomes: restore(outcomes),
    banner,
    ...(implementation && { hello: { implementation, operations } }),
    ...(forgedOutcomes.length > 0 && { forged: forgedOutcomes }),
    ...(freshSeed !== undefined && { fresh: { seed: freshSeed, outcomes: restore(fresh) } }),
    ...(neverWorked !== undefined && { neverWorked }),
    ...(over !== undefined && { stopReason: over }),
    ...(internalError !== undefined && { internalError }),
    ...(notes && { notes }),
    ...(stale && { stale: stale.map((problem) => ({ problem, first: 0, lines: [] })) }),
  };
}

function plainId({ type, id }: OutcomeLine): string {
  return type === 'fresh' ? id.replace(/^fresh\//, '') : id;
}

function restoreOutcome(
  line: OutcomeLine,
  vector: Vector | undefined,
): RecordedOutcome & FreshOutcome {
  const { id, status, message = '', met, difference, known, reason = '', otherwise } = line;
  const { shape, trace, milliseconds, causes } = line;
  if (!vector) throw new Error(`the suite has no vector ${id}`);
  const { control } = vector;
  const isAnswered = status === 'pass' || status === 'fail';
  return {
    vector: { ...vector, id },
    verdict: {
      status,
      message,
      ...(met !== undefined && { met }),
      ...(difference && { difference }),
    },
    reply: restoreReply(line, vector),
    ...(milliseconds !== undefined && { milliseconds }),
    ...(control && { controlReply: isAnswered ? toResult(control.expect) : toRefusal('') }),
    ...(known && { known: { causes: [], reason } }),
    ...(otherwise !== undefined && { unexpectedFailure: otherwise }),
    ...(causes && { causes }),
    insight: { ...(shape && { shape }), ...(trace && { trace }) },
  };
}

const toResult = (result: Stages): Reply => ({ kind: 'result', result, trace: {} });
const toRefusal = (reason: string): Reply => ({ kind: 'refused', reason, message: '' });

function restoreReply({ status, message = '', difference }: OutcomeLine, vector: Vector): Reply {
  const stages = difference ? { [difference.stage]: difference.actual } : (vector.expect ?? {});
  const result = toResult(stages);
  const refused = toRefusal(vector.refuse?.reason ?? '');
  switch (status) {
    case 'pass':
      return vector.refuse && message !== 'added what is missing' ? refused : result;
    case 'fail':
      return message.startsWith('refused as') ? refused : result;
    case 'open':
      return result;
    case 'refused':
    case 'inconclusive':
      return refused;
    case 'unsupported':
    case 'error':
    case 'crashed':
    case 'timeout':
    case 'garbage':
      return { kind: status, message };
    default:
      return { kind: 'not-asked', message };
  }
}

/** The outcomes of the forged requests. Those without a line were correctly refused. */
function restoreForged(
  { forged: asked = 0, operations = [] }: AdapterLine,
  lines: readonly ForgedLine[],
  forgeries: readonly Forgery[],
): readonly ForgedOutcome[] {
  const all = selectForgeries(forgeries, operations);
  const named = new Map(
    lines.map((line) => [JSON.stringify([line.operation, line.id, line.mistakes]), line]),
  );
  return all.flatMap((forgery) => {
    const { operation, vector, mistakes, keys, reason } = forgery;
    const line = named.get(JSON.stringify([operation, vector, mistakes]));
    // If some were not asked, the report does not say which.
    if (!line && all.length !== asked) return [];
    const { status = 'pass', message = '', known, causes } = line ?? {};
    const isAnswered = status === 'pass' || status === 'fail';
    const accepted = toResult({ publicKey: keys.publicKey });
    return [
      {
        forgery,
        verdict: { status, message },
        reply: status === 'fail' ? accepted : toRefusal(reason),
        controlReply: isAnswered ? accepted : undefined,
        ...(known && { known }),
        ...(causes && { causes }),
      },
    ];
  });
}

/** The explanation that a report records; undefined if nothing failed. */
export function restoreExplanation(
  { causes, unexplained }: RecordedAdapter,
  vectors: readonly Vector[],
): Explanation | undefined {
  if (causes.length + unexplained.length === 0) return undefined;
  return {
    causes: causes.map(restoreCause),
    unexplained: unexplained.flatMap(({ ids }) => ids),
    shrunk: unexplained.flatMap(({ smallest }) =>
      smallest.flatMap((line) => restoreShrunk(line, vectors)),
    ),
  };
}

function restoreCause(line: CauseLine): FoundCause {
  const { mistake: id, cause: wrong, fix, rule, confidence, others, within, differing, ids } = line;
  const known = findMistakeById(id);
  return {
    // The report decides the sentences. If they equal those of the known mistake, its steps are restored too.
    mistake: known?.wrong === wrong ? known : { id, wrong, fix, rule },
    confidence,
    others: others.map((name) => findMistakeById(name) ?? { id: name, wrong: name, fix: '', rule }),
    ...(within && { within }),
    ...(differing && { differing }),
    explains: ids,
  };
}

function restoreShrunk(
  { id, keys, input, status, message = '', difference, neighbour, besides = 0 }: SmallestLine,
  vectors: readonly Vector[],
): readonly ShrunkVector[] {
  const vector = vectors.find((one) => one.id === id);
  if (!vector) return [];
  return [
    {
      id,
      isDrawn: keys !== undefined,
      vector: { ...vector, input, ...(keys && { keys }) },
      verdict: { status, message, ...(difference && { difference }) },
      ...(neighbour !== undefined && { neighbour: { what: neighbour } }),
      besides,
    },
  ];
}
