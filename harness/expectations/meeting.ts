/**
 * The failures of a run, compared with those that are expected.
 *
 * @module
 */
import type { Diagnosis } from '../diagnosis/diagnose.ts';
import type { ForgedOutcome } from '../forgeries/outcome.ts';
import type { Outcome, Run } from '../run.ts';
import { isFailure, isForgedFailure, isWrong } from '../verdict.ts';
import { type CauseNames, causesByVector } from './causes.ts';
import type { Expectation, Expectations, Pattern } from './expectation.ts';
import { forgedNames } from './forged-names.ts';
import { staleEntries } from './stale.ts';

/**
 * Marks the failures that are expected, and says of the others what was expected in their place.
 *
 * @param ids of every vector of the suite
 * @param found the causes of the failures; without them no entry that names a cause is met
 */
export function withExpectations(
  run: Run,
  expectations: Expectations,
  ids: readonly string[],
  found: Diagnosis = { causes: [], unexplained: [] },
): Run {
  const { entries, today } = expectations;
  const valid = entries.filter(({ until }) => until === undefined || until >= today);
  const met = new Set<Pattern>();
  const causes = causesByVector(found);
  const ofVectors = valid.filter(({ about }) => about === 'vectors');
  const outcomes = run.outcomes.map((outcome) =>
    isWrong(outcome)
      ? compared(outcome, ofVectors, causes.get(outcome.vector.id) ?? [], met)
      : outcome,
  );
  const ofForged = valid.filter(({ about }) => about === 'forged');
  const forged = run.forged?.map((one) =>
    isForgedFailure(one) ? comparedForged(one, ofForged, met) : one,
  );
  const judged = { ...run, outcomes, ...(forged && { forged }) };
  return { ...judged, stale: staleEntries(judged, expectations, ids, met) };
}

function compared(
  outcome: Outcome,
  entries: readonly Expectation[],
  causes: readonly CauseNames[],
  met: Set<Pattern>,
): Outcome {
  const { vector, verdict } = outcome;
  const about = entries.filter(({ patterns }) => patternsFor(patterns, [vector.id]).length > 0);
  const fitting = about.filter(
    ({ status, causes: named }) =>
      status === verdict.status && (named === undefined || show(named, causes)),
  );
  for (const { patterns } of fitting) {
    for (const pattern of patternsFor(patterns, [vector.id])) met.add(pattern);
  }
  const isExpected = (names: CauseNames): boolean =>
    fitting.some((one) => one.causes?.some((name) => names.includes(name)));
  const unexpected = causes.filter((names) => !isExpected(names));
  const isAny = fitting.some((one) => one.causes === undefined);
  if (isAny || (fitting.length > 0 && unexpected.length === 0)) {
    return { ...outcome, known: knownBy(fitting) };
  }
  return about.length === 0 || !isFailure(outcome)
    ? outcome
    : {
        ...outcome,
        otherwise: otherwise(about, outcome, unexpected),
        expectedCauses: fitting.flatMap((one) => one.causes ?? []),
      };
}

/** Whether each of the names is one of a cause of its own. */
function show(named: readonly string[], causes: readonly CauseNames[]): boolean {
  const places = named.map((name) => causes.findIndex((names) => names.includes(name)));
  return !places.includes(-1) && new Set(places).size === named.length;
}

/** Each cause and each reason once; of two entries for one failure, both count. */
function knownBy(fitting: readonly Expectation[]): NonNullable<Outcome['known']> {
  return {
    causes: [...new Set(fitting.flatMap((one) => one.causes ?? []))],
    reason: [...new Set(fitting.map(({ reason }) => reason))].join(' '),
  };
}

/** What was expected of a failure, and what came in its place. */
function otherwise(
  about: readonly Expectation[],
  { verdict: { status } }: Outcome,
  unexpected: readonly CauseNames[],
): string {
  const expected = about.map(
    (one) => `${one.status}${one.causes ? ` for the cause ${one.causes.join(' and ')}` : ''}`,
  );
  const where = about[0]?.place ?? '';
  const isOfStatus = about.some((one) => one.status === status);
  const causes = unexpected.map(([name]) => name).join(' and ');
  const actual = isOfStatus && causes !== '' ? `the cause is ${causes}` : `it ended as ${status}`;
  return `${where} expects ${[...new Set(expected)].join(' or ')}, but ${actual}`;
}

function comparedForged(
  outcome: ForgedOutcome,
  entries: readonly Expectation[],
  met: Set<Pattern>,
): ForgedOutcome {
  const names = forgedNames(outcome.forgery);
  const fitting = entries.filter(({ status }) => status === outcome.verdict.status);
  const patterns = fitting.flatMap((entry) => patternsFor(entry.patterns, names));
  for (const pattern of patterns) met.add(pattern);
  return patterns.length > 0 ? { ...outcome, known: true } : outcome;
}

function patternsFor(patterns: readonly Pattern[], names: readonly string[]): readonly Pattern[] {
  return patterns.filter(({ matches }) => names.some((name) => matches.test(name)));
}
