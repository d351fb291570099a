/**
 * Finds stale expectations, which would hide the next failure.
 *
 * @module
 */

import type { Expectation, Expectations, Lines, Pattern, Stale } from '../judge/expectation.ts';
import type { Run } from '../judge/outcome.ts';
import { isForgedFailure, isWrong } from '../judge/summary.ts';
import { listForgedNames } from './names.ts';

/** A vector or a forged request of a run, by all of its names. */
interface AskedItem {
  readonly names: readonly string[];
  readonly isNewFailure: boolean;
  /** It was not asked, so its result is unknown. */
  readonly isOpen: boolean;
}

/** @param met the patterns that match an expected failure */
export function findStaleEntries(
  run: Run,
  expectations: Expectations,
  ids: readonly string[],
  met: ReadonlySet<Pattern>,
): readonly Stale[] {
  const { entries, text } = expectations;
  return entries.flatMap((entry) => {
    const whole = (what: string): Stale => toStale(entry.place, what, entry.lines, text);
    if (entry.until !== undefined && entry.until < expectations.today) {
      return [whole(`the entry expired on ${entry.until}`)];
    }
    const faults = entry.patterns.flatMap((pattern) => {
      const what = met.has(pattern) ? undefined : findFault(entry, pattern, run, expectations, ids);
      return what === undefined ? [] : [{ pattern, what }];
    });
    if (faults.length === entry.patterns.length && faults.length > 1) {
      return [whole(`no vector of the entry still ends as ${entry.status}`)];
    }
    return faults.map(({ pattern: { place, lines }, what }) => toStale(place, what, lines, text));
  });
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
  const asked = (about === 'vectors' ? listAskedVectors(run) : listAskedForged(run)).filter(
    ({ names }) => isMeant(names),
  );
  // The result of questions that were not asked is unknown. Forged requests without a verifier are never asked.
  const isComplete = about === 'forged' ? asked.length > 0 : asked.length === meant.length;
  if (!isComplete || asked.some(({ isNewFailure, isOpen }) => isNewFailure || isOpen)) {
    return undefined;
  }
  if (asked.length === 1) return `${glob} no longer ends as ${status}`;
  return `none of the ${asked.length} ${what}s of ${glob} still ends as ${status}`;
}

function listAskedVectors({ outcomes }: Run): readonly AskedItem[] {
  return outcomes.map((outcome) => ({
    names: [outcome.vector.id],
    // A tolerated failure is a failure too.
    isNewFailure: isWrong(outcome),
    isOpen: outcome.verdict.status === 'not-asked',
  }));
}

function listAskedForged({ forged = [] }: Run): readonly AskedItem[] {
  return forged.map((outcome) => ({
    names: listForgedNames(outcome.forgery),
    isNewFailure: isForgedFailure(outcome),
    isOpen: outcome.verdict.status === 'not-asked',
  }));
}
