/**
 * Makes a set of mistakes that explains the answers simpler: wider scopes, fewer conditions, fewer mistakes.
 *
 * @module
 */
import { joinedSpans } from '../../../reference/mistakes/index.ts';
import { isFitted } from './conditional-mistakes.ts';
import { type Observation, operationsOf } from './observation.ts';
import type { ObservedAnswers } from './observed-answers.ts';
import type { ScopedMistake } from './scoped-mistake.ts';

/** The most mistakes of a set that are dropped together. */
const DROPPED = 3;

/** Widens the scopes of mistakes: others of the set may have hidden a mistake in further operations when it was found. */
export function widenScopes(
  observed: ObservedAnswers,
  made: readonly ScopedMistake[],
): readonly ScopedMistake[] {
  return made.reduce((all, one) => {
    const { mistake, within } = one;
    if (!within) return all;
    const everywhere = all.map((other) => (other === one ? { mistake } : other));
    const gained = new Set<string>();
    const lost = new Set<string>();
    for (const seen of observed.all) {
      const { operation } = seen.question;
      if (within.has(operation)) continue;
      const [before, after] = [observed.explains(seen, all), observed.explains(seen, everywhere)];
      if (after !== before) (after ? gained : lost).add(operation);
    }
    if (lost.size === 0) return everywhere;
    const more = [...gained].filter((operation) => !lost.has(operation));
    const wider = { mistake, within: new Set([...within, ...more]) };
    return more.length === 0 ? all : all.map((other) => (other === one ? wider : other));
  }, made);
}

/**
 * Removes a mistake from each operation in which the set explains every answer without it, but not with it.
 *
 * @param answers the answers that the set should explain; by default, the wrong ones
 */
export function narrowScopes(
  observed: ObservedAnswers,
  made: readonly ScopedMistake[],
  answers: readonly Observation[] = observed.wrong,
): readonly ScopedMistake[] {
  return made.reduce((all, one) => {
    const lost = answers.filter((seen) => !observed.explains(seen, all));
    const open = operationsOf(lost);
    const rest = all.filter((other) => other !== one);
    const isNeedless = (operation: string): boolean =>
      observed.all.every(
        (seen) => seen.question.operation !== operation || observed.explains(seen, rest),
      );
    const needless = new Set([...open].filter(isNeedless));
    if (needless.size === 0) return all;
    const operations = observed.all
      .filter((seen) => observed.canChangeAny([seen], { mistake: one.mistake }))
      .map(({ question }) => question.operation);
    const isKept = (operation: string): boolean =>
      !needless.has(operation) && one.within?.has(operation) !== false;
    const narrower = { ...one, within: new Set(operations.filter(isKept)) };
    return all.map((other) => (other === one ? narrower : other));
  }, made);
}

/**
 * Drops each condition without which as many answers are explained: a mistake that was found later explains the others, or
 * the condition only selects some operations.
 */
export function dropConditions(
  observed: ObservedAnswers,
  made: readonly ScopedMistake[],
): readonly ScopedMistake[] {
  return made.reduce((all, one) => {
    const { mistake } = one;
    if (!isFitted(mistake)) return all;
    const rest = all.filter((other) => other !== one);
    const own = observed.wrong.filter((seen) => !observed.explains(seen, rest));
    const within = new Set(
      own.filter((seen) => observed.explains(seen, all)).map(({ question }) => question.operation),
    );
    const bare = { ...one, mistake: mistake.unconditional };
    const simpler = [bare, { ...bare, within }].map((simple) =>
      all.map((other) => (other === one ? simple : other)),
    );
    return simpler.find((set) => observed.explainsAsMany(set, all)) ?? all;
  }, made);
}

/** Replaces two mistakes by one that makes the change of one of them in the steps of both. */
export function joinSpans(
  observed: ObservedAnswers,
  made: readonly ScopedMistake[],
): readonly ScopedMistake[] {
  const everywhere = made.filter(({ within }) => !within);
  for (const [at, one] of everywhere.entries()) {
    for (const other of everywhere.slice(at + 1)) {
      // Mistakes of one step are made in the order of the set, so the later place counts.
      const joined = joinedSpans(one.mistake, other.mistake).map((mistake) =>
        made.flatMap((kept) => (kept === one ? [] : kept === other ? [{ mistake }] : [kept])),
      );
      const best = joined.find((set) => observed.explainsAsMany(set, made));
      if (best) return joinSpans(observed, best);
    }
  }
  return made;
}

/** Drops the mistakes without which a set explains as many wrong answers. Some are needless only together. */
export function dropNeedless(
  observed: ObservedAnswers,
  made: readonly ScopedMistake[],
): readonly ScopedMistake[] {
  // Dropping fewer first could leave a larger set.
  for (let size = Math.min(DROPPED, made.length - 1); size > 0; size -= 1) {
    const needless = findNeedless(observed, made, size);
    if (needless)
      return dropNeedless(
        observed,
        made.filter((one) => !needless.includes(one)),
      );
  }
  return made;
}

/** Some mistakes of a set without which it explains as many wrong answers. */
function findNeedless(
  observed: ObservedAnswers,
  made: readonly ScopedMistake[],
  size: number,
): readonly ScopedMistake[] | undefined {
  const explained = observed.wrong.filter((one) => observed.explains(one, made));
  const without = (some: readonly ScopedMistake[]): readonly ScopedMistake[] =>
    made.filter((one) => !some.includes(one));
  // An answer that one of the mistakes is needed for decides about most subsets.
  const needs = new Map(
    made.map((one) => [one, explained.find((seen) => !observed.explains(seen, without([one])))]),
  );
  return subsetsOf(made, size).find((some) => {
    const rest = without(some);
    const isNeeded = (one: ScopedMistake): boolean => {
      const need = needs.get(one);
      return need !== undefined && !observed.explains(need, rest);
    };
    if (size > 1 && some.some(isNeeded)) return false;
    return observed.wrong.filter((one) => observed.explains(one, rest)).length >= explained.length;
  });
}

/** The subsets with so many items. */
const subsetsOf = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  size === 0
    ? [[]]
    : items.flatMap((item, at) =>
        subsetsOf(items.slice(at + 1), size - 1).map((rest) => [item, ...rest]),
      );
