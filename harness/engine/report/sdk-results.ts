/**
 * What a published SDK gives for each vector that it supports (schema/results.schema.json).
 *
 * What the vectors, the rules or the known failures of the SDK say already is left out: it is found by the id of the vector.
 *
 * @module
 */
import { shorten } from '../excerpt.ts';
import { type Expectation, type Outcome, type Run, UNEXPLAINED } from '../judge/outcome.ts';
import type { Level, Suite, Vector } from '../vector.ts';

export interface VectorResult {
  readonly id: string;
  readonly status: string;
  /** The name of the accepted answer to an open question. */
  readonly met?: string;
  /** The first stage that differs, and what the SDK gives there. */
  readonly stage?: string;
  readonly actual?: string;
  readonly message?: string;
  /** The known mistakes that explain a failure together. */
  readonly causes?: readonly string[];
}

export interface SdkResults {
  readonly sdk: string;
  readonly version: string;
  readonly language: string;
  readonly dialect: string;
  /** The operations that its adapter offers. */
  readonly operations: readonly string[];
  /** The day on which these results were first seen, `YYYY-MM-DD`, in UTC. */
  readonly date: string;
  /** A vector without a result is unsupported. */
  readonly results: readonly VectorResult[];
}

/** Longer texts are cut; in characters. */
const LONGEST_TEXT = 1000;

/** @param run with the known failures marked */
export function createSdkResults(
  { sdk, dialect, date }: Pick<SdkResults, 'sdk' | 'dialect' | 'date'>,
  { hello, outcomes }: Run,
): SdkResults {
  const { version = '', language = '' } = hello?.implementation ?? {};
  const operations = hello?.operations ?? [];
  const answered = outcomes.filter(({ verdict }) => verdict.status !== 'unsupported');
  const results = answered.map(createResult);
  return { sdk, version, language, dialect, operations, date, results };
}

function createResult({ vector, verdict, known }: Outcome): VectorResult {
  const { status, met, message, difference } = verdict;
  const causes = (known?.causes ?? []).filter((cause) => cause !== UNEXPLAINED);
  const cut = (text: string): string => shorten(text, LONGEST_TEXT).toWellFormed();
  return {
    id: vector.id,
    status,
    ...(met !== undefined && { met }),
    ...(difference && { stage: difference.stage, actual: cut(difference.actual) }),
    ...(message !== '' && { message: cut(message) }),
    ...(causes.length > 0 && { causes }),
  };
}

/** A line for the SDK, and one for each vector. */
export function formatSdkResults({ results, ...sdk }: SdkResults): string {
  return [sdk, ...results].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** The reasons that the known failures give for a result, or undefined for an unknown failure. */
export function findReason(
  { id, status, causes = [] }: VectorResult,
  entries: readonly Expectation[],
): string | undefined {
  const own = entries.filter(
    (entry) =>
      entry.status === status &&
      (entry.causes ?? []).every((cause) =>
        cause === UNEXPLAINED ? causes.length === 0 : causes.includes(cause),
      ) &&
      entry.patterns.some(({ matches }) => matches.test(id)),
  );
  return own.length === 0 ? undefined : [...new Set(own.map(({ reason }) => reason))].join(' ');
}

/** A result of a vector that is still in the suite. */
export type KnownResult = readonly [vector: Vector, result: VectorResult];

/** The wrong answers; open questions have no correct answer, so they cannot fail. */
export function listFailures(sdk: SdkResults, suite: Suite): readonly KnownResult[] {
  return listKnown(sdk, suite).filter(
    ([{ level }, { status }]) => level !== 'open' && status !== 'pass',
  );
}

export function listOpen(sdk: SdkResults, suite: Suite): readonly KnownResult[] {
  return listKnown(sdk, suite).filter(([{ level }]) => level === 'open');
}

function listKnown({ results }: SdkResults, { vectors }: Suite): readonly KnownResult[] {
  const byId = new Map(results.map((result) => [result.id, result]));
  return vectors.flatMap((vector) => {
    const result = byId.get(vector.id);
    return result ? [[vector, result] as const] : [];
  });
}

/** The order of counts; further statuses follow by name. */
const ORDER = ['pass', 'open', 'fail', 'refused'];

/** How many vectors of a level ended how, such as `97 pass, 23 fail, 334 unsupported`. */
export function countLevel(sdk: SdkResults, suite: Suite, level: Level): string {
  const own = listKnown(sdk, suite).filter(([vector]) => vector.level === level);
  const all = suite.vectors.filter((vector) => vector.level === level).length;
  const statuses = own.map(([, { status }]) => status);
  const names = new Set([...ORDER, ...statuses.toSorted()].filter((one) => statuses.includes(one)));
  return [
    ...[...names].map((name) => `${statuses.filter((one) => one === name).length} ${name}`),
    ...(all > own.length ? [`${all - own.length} unsupported`] : []),
  ].join(', ');
}

/** How many vectors of a rule an SDK passes and fails, and how many it does not support. Vectors of level open do not count. */
export interface RuleResult {
  readonly passed: number;
  readonly failed: number;
  readonly unsupported: number;
}

/** The results by rule, for the rules of which the SDK supports a vector. */
export function countRules(sdk: SdkResults, suite: Suite): ReadonlyMap<string, RuleResult> {
  const known = listKnown(sdk, suite).filter(([{ level }]) => level !== 'open');
  const judged = suite.vectors.filter(({ level }) => level !== 'open');
  const rows = suite.rules.flatMap(({ id }): (readonly [string, RuleResult])[] => {
    const own = known.filter(([{ rules }]) => rules.includes(id));
    if (own.length === 0) return [];
    const all = judged.filter(({ rules }) => rules.includes(id)).length;
    const passed = own.filter(([, { status }]) => status === 'pass').length;
    return [[id, { passed, failed: own.length - passed, unsupported: all - own.length }]];
  });
  return new Map(rows);
}
