/**
 * Matches the failures of a run against the expected ones, and finds the expectations that no longer match.
 *
 * @module
 */
import type { Diagnosis } from '../diagnosis/diagnose.ts';
import { type ForgedOutcome, listForgedNames } from '../judge/forgery.ts';
import type {
  Expectation,
  Expectations,
  Fresh,
  Lines,
  Outcome,
  Pattern,
  Run,
  Stale,
} from '../judge/outcome.ts';
import { isFailure, isForgedFailure, isWrong } from '../judge/summary.ts';
import { type CauseNames, groupCausesByVector } from './names.ts';
import { filterUnexpected } from './unexpected.ts';

/**
 * Marks expected failures, notes outcomes that differ from an expected failure, and finds stale entries.
 *
 * @param ids the ids of all vectors of the suite
 * @param found the causes of the failures; without them, entries that name a cause match nothing
 */
export function applyExpectations(
  run: Run,
  expectations: Expectations,
  ids: readonly string[],
  found: Diagnosis = { causes: [], unexplained: [] },
): Run {
  const { entries, today } = expectations;
  const valid = entries.filter(({ until }) => until === undefined || until >= today);
  const met = new Set<Pattern>();
  const causes = groupCausesByVector(found);
  const ofVectors = valid.filter(({ about }) => about === 'vectors');
  const outcomes = run.outcomes.map((outcome) =>
    matchOutcome(outcome, ofVectors, causes.get(outcome.vector.id) ?? [], met),
  );
  const ofForged = valid.filter(({ about }) => about === 'forged');
  const forged = run.forged?.map((one) => matchForged(one, ofForged, met));
  const matched = { ...run, outcomes, ...(forged && { forged }) };
  const judged = { ...matched, ...(run.fresh && { fresh: matchFresh(run.fresh, found, matched) }) };
  return { ...judged, stale: findStaleEntries(judged, expectations, ids, met) };
}

function matchOutcome(
  outcome: Outcome,
  entries: readonly Expectation[],
  causes: readonly CauseNames[],
  met: Set<Pattern>,
): Outcome {
  if (!isWrong(outcome)) return outcome;
  const { vector, verdict } = outcome;
  const about = entries.filter(({ patterns }) => filterPatterns(patterns, [vector.id]).length > 0);
  const fitting = about.filter(
    ({ status, causes: named }) =>
      status === verdict.status && (named === undefined || haveDistinctCauses(named, causes)),
  );
  for (const { patterns } of fitting) {
    for (const pattern of filterPatterns(patterns, [vector.id])) met.add(pattern);
  }
  const expectedCauses = fitting.flatMap((one) => one.causes ?? []);
  const unexpected = causes.filter((names) => !expectedCauses.some((name) => names.includes(name)));
  const isAny = fitting.some((one) => one.causes === undefined);
  if (isAny || (fitting.length > 0 && unexpected.length === 0)) {
    const reason = [...new Set(fitting.map((one) => one.reason))].join(' ');
    return { ...outcome, known: { causes: [...new Set(expectedCauses)], reason } };
  }
  if (about.length === 0 || !isFailure(outcome)) return outcome;
  const unexpectedFailure = describeMismatch(about, outcome, unexpected);
  return { ...outcome, unexpectedFailure, expectedCauses };
}

function haveDistinctCauses(named: readonly string[], causes: readonly CauseNames[]): boolean {
  const places = named.map((name) => causes.findIndex((names) => names.includes(name)));
  return !places.includes(-1) && new Set(places).size === named.length;
}

/** Says in one sentence which failure was expected and which one occurred. */
function describeMismatch(
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

function matchForged(
  outcome: ForgedOutcome,
  entries: readonly Expectation[],
  met: Set<Pattern>,
): ForgedOutcome {
  if (!isForgedFailure(outcome)) return outcome;
  const names = listForgedNames(outcome.forgery);
  const fitting = entries.filter(({ status }) => status === outcome.verdict.status);
  const patterns = fitting.flatMap((entry) => filterPatterns(entry.patterns, names));
  for (const pattern of patterns) met.add(pattern);
  return patterns.length > 0 ? { ...outcome, known: true } : outcome;
}

/** Marks the failures on fresh data whose causes have no unexpected failures. */
function matchFresh(fresh: Fresh, found: Diagnosis, run: Run): Fresh {
  const unexpected = new Set(filterUnexpected(found, run).causes.map(({ mistake }) => mistake.id));
  const outcomes = fresh.outcomes.map((outcome) => {
    const { causes = [] } = outcome;
    if (causes.length === 0 || causes.some((id) => unexpected.has(id))) return outcome;
    const same = found.causes.filter(({ mistake }) => causes.includes(mistake.id));
    const ids = new Set(same.flatMap(({ explains }) => explains));
    const alike = run.outcomes.filter(({ vector }) => ids.has(vector.id));
    const reasons = new Set(alike.flatMap(({ known }) => known?.reason ?? []));
    return { ...outcome, known: { causes, reason: [...reasons].join(' ') } };
  });
  return { ...fresh, outcomes };
}

function filterPatterns(
  patterns: readonly Pattern[],
  names: readonly string[],
): readonly Pattern[] {
  return patterns.filter(({ matches }) => names.some((name) => matches.test(name)));
}

/** @param met the patterns that match an expected failure */
function findStaleEntries(
  run: Run,
  expectations: Expectations,
  ids: readonly string[],
  met: ReadonlySet<Pattern>,
): readonly Stale[] {
  const { entries, text } = expectations;
  const found = entries.flatMap((entry) => {
    const stale = (what: string, { place, lines }: Pick<Pattern, 'place' | 'lines'>): Stale =>
      toStale(place, what, lines, text);
    if (entry.until !== undefined && entry.until < expectations.today) {
      return [stale(`the entry expired on ${entry.until}`, entry)];
    }
    const faults = entry.patterns.flatMap((pattern) => {
      const what = met.has(pattern) ? undefined : findFault(entry, pattern, run, expectations, ids);
      return what === undefined ? [] : [stale(what, pattern)];
    });
    return faults.length === entry.patterns.length && faults.length > 1
      ? [stale(`no vector of the entry still ends as ${entry.status}`, entry)]
      : faults;
  });
  // From the last to the first: the removal of lines moves only the lines below.
  return found.sort((a, b) => b.first - a.first);
}

function toStale(
  place: string,
  what: string,
  [first, last]: Lines,
  text: readonly string[],
): Stale {
  const which = first === last ? `line ${first}` : `lines ${first} to ${last}`;
  return {
    problem: `${place}: ${what}; remove ${which}`,
    first,
    lines: text.slice(first - 1, last),
  };
}

/** Why a pattern is stale; `undefined` if that is not known, or if a new failure may hide the expected one. */
function findFault(
  { about, status }: Expectation,
  { glob, matches }: Pattern,
  run: Run,
  { mustMatch, forged }: Expectations,
  ids: readonly string[],
): string | undefined {
  const all = about === 'vectors' ? ids.map((id) => [id]) : forged().map(listForgedNames);
  const isMeant = (names: readonly string[]): boolean => names.some((name) => matches.test(name));
  const meant = all.filter(isMeant);
  const what = about === 'vectors' ? 'vector' : 'forged request';
  if (meant.length === 0) return mustMatch ? `no ${what} matches ${glob}` : undefined;
  const asked = listAsked(run, about).filter(({ names }) => isMeant(names));
  // The result of questions that were not asked is unknown. Forged requests without a verifier are never asked.
  const isComplete = about === 'forged' ? asked.length > 0 : asked.length === meant.length;
  if (!isComplete || asked.some(({ isUnknown }) => isUnknown)) return undefined;
  if (asked.length === 1) return `${glob} no longer ends as ${status}`;
  return `none of the ${asked.length} ${what}s of ${glob} still ends as ${status}`;
}

/** The vectors or forged requests of a run, by all of their names. A new failure, also a tolerated one, may hide the expected one. */
function listAsked({ outcomes, forged = [] }: Run, about: Expectation['about']) {
  return about === 'vectors'
    ? outcomes.map((outcome) => ({
        names: [outcome.vector.id],
        isUnknown: isWrong(outcome) || outcome.verdict.status === 'not-asked',
      }))
    : forged.map((outcome) => ({
        names: listForgedNames(outcome.forgery),
        isUnknown: isForgedFailure(outcome) || outcome.verdict.status === 'not-asked',
      }));
}
