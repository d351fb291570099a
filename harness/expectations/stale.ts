/**
 * Expectations that are over: a list that nobody weeds hides the next failure.
 *
 * @module
 */
import { bundledForgeries } from '../forgeries/forgery.ts';
import type { Run } from '../run.ts';
import { isForgedFailure, isWrong } from '../verdict.ts';
import type { Expectation, Expectations, Lines, Pattern, Stale } from './expectation.ts';
import { forgedNames } from './forged-names.ts';

/** Something that was asked about, by all of its names. */
interface Asked {
  readonly names: readonly string[];
  readonly isNewFailure: boolean;
  /** Nobody knows how it would have ended. */
  readonly isOpen: boolean;
}

/** @param met the patterns that an expected failure fits */
export function staleEntries(
  run: Run,
  expectations: Expectations,
  ids: readonly string[],
  met: ReadonlySet<Pattern>,
): readonly Stale[] {
  const { entries, text } = expectations;
  return entries.flatMap((entry) => {
    const whole = (what: string): Stale => staleLines(entry.place, what, entry.lines, text);
    if (entry.until !== undefined && entry.until < expectations.today) {
      return [whole(`the entry expired on ${entry.until}`)];
    }
    const faults = entry.patterns.flatMap((pattern) => {
      const what = met.has(pattern) ? undefined : fault(entry, pattern, run, expectations, ids);
      return what === undefined ? [] : [{ pattern, what }];
    });
    if (faults.length === entry.patterns.length && faults.length > 1) {
      return [whole(`no vector of the entry ends as ${entry.status} any more`)];
    }
    return faults.map(({ pattern: { place, lines }, what }) =>
      staleLines(place, what, lines, text),
    );
  });
}

function staleLines(
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

/** Why nothing meets a pattern; nothing where that is not known, or a new failure stands in the way. */
function fault(
  { about, status }: Expectation,
  { glob, matches }: Pattern,
  run: Run,
  { mustMatch }: Expectations,
  ids: readonly string[],
): string | undefined {
  const all = about === 'vectors' ? ids.map((id) => [id]) : bundledForgeries().map(forgedNames);
  const isMeant = (names: readonly string[]): boolean => names.some((name) => matches.test(name));
  const meant = all.filter(isMeant);
  const what = about === 'vectors' ? 'vector' : 'forged request';
  if (meant.length === 0) return mustMatch ? `no ${what} matches ${glob}` : undefined;
  const asked = (about === 'vectors' ? askedVectors(run) : askedForged(run)).filter(({ names }) =>
    isMeant(names),
  );
  // Of what was not asked nobody knows; of forged requests, only those are asked that the adapter has a verifier for.
  const isComplete = about === 'forged' ? asked.length > 0 : asked.length === meant.length;
  if (!isComplete || asked.some(({ isNewFailure, isOpen }) => isNewFailure || isOpen)) {
    return undefined;
  }
  if (asked.length === 1) return `${glob} does not end as ${status} any more`;
  return `none of the ${asked.length} ${what}s of ${glob} ends as ${status} any more`;
}

function askedVectors({ outcomes }: Run): readonly Asked[] {
  return outcomes.map((outcome) => ({
    names: [outcome.vector.id],
    // What is tolerated in this run fails still.
    isNewFailure: isWrong(outcome),
    isOpen: outcome.verdict.status === 'not-asked',
  }));
}

function askedForged({ forged = [] }: Run): readonly Asked[] {
  return forged.map((outcome) => ({
    names: forgedNames(outcome.forgery),
    isNewFailure: isForgedFailure(outcome),
    isOpen: outcome.verdict.status === 'not-asked',
  }));
}
