/**
 * The failures that are known of an adapter: `expectations.yaml` beside it.
 *
 * @module
 */
import { DataError } from './errors.ts';
import type { Run } from './run.ts';
import { expectations as schema } from './schema/data-validators.js';
import { globPattern } from './suite/select.ts';
import { schemaProblems, yamlFile } from './suite/yaml-file.ts';

export interface Expectation {
  /** A vector's id, or a glob over ids. */
  readonly match: string;
  readonly status: string;
  readonly reason: string;
}

const EXPECTATIONS = 'expectations.yaml';

/** Reads a file of expectations. */
export function readExpectations(path: string): readonly Expectation[] {
  const file = yamlFile(path, path);
  const problems = schemaProblems(file, schema, file.data);
  if (problems.length > 0) throw new DataError(problems);
  return (file.data as { readonly expectations: readonly Expectation[] }).expectations;
}

/**
 * Marks the failures that were expected.
 *
 * An expectation that nothing meets is stale, and a stale list hides the next failure: it fails the run.
 */
export function withExpectations(run: Run, expectations: readonly Expectation[]): Run {
  const patterns = expectations.map((expectation) => ({
    ...expectation,
    pattern: globPattern(expectation.match),
    used: false,
  }));
  const outcomes = run.outcomes.map((outcome) => {
    const met = patterns.filter(
      ({ pattern, status }) => status === outcome.verdict.status && pattern.test(outcome.vector.id),
    );
    for (const expectation of met) expectation.used = true;
    return met.length > 0 ? { ...outcome, known: true } : outcome;
  });
  // What was not selected cannot be stale.
  const stale = patterns
    .filter(
      ({ used, pattern }) => !used && run.outcomes.some(({ vector }) => pattern.test(vector.id)),
    )
    .map(
      ({ match, status }) =>
        `${EXPECTATIONS} expects ${match} to end as ${status}, and it does not; remove the entry`,
    );
  return { ...run, outcomes, stale };
}
