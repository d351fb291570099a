/**
 * The options of the helpers for test frameworks.
 *
 * @module
 */
import { UsageError } from '../../engine/errors.ts';
import { entryNamed, selectVectors } from '../../engine/select.ts';
import type { Level, Suite, Vector } from '../../engine/vector.ts';
import type { Inputs } from '../../respondents/module/signer.ts';

/** Options that select vectors, as on the command line, and the dialect. */
export interface ConformanceOptions {
  /** svc (default), ucloud, or SCHEME,PREFIX,PARAMETER. */
  readonly dialect?: string;
  /** Ids, folders of ids, or globs over them. */
  readonly ids?: string | readonly string[];
  readonly rule?: string | readonly string[];
  readonly level?: Level | readonly Level[];
  readonly operation?: keyof Inputs | readonly (keyof Inputs)[];
  /** For each operation, only a few vectors that catch nearly every mistake that all its vectors catch. */
  readonly smoke?: boolean;
  /** Include the vectors with large files, up to 1 GiB. */
  readonly large?: boolean;
  /** Ids, folders or globs of vectors that must fail. If one passes, its test fails, so that the list does not become stale. */
  readonly expectFailures?: string | readonly string[];
}

const OPTIONS: Readonly<Record<keyof ConformanceOptions, true>> = {
  dialect: true,
  ids: true,
  rule: true,
  level: true,
  operation: true,
  smoke: true,
  large: true,
  expectFailures: true,
};

/** The selected vectors. @throws UsageError for an unknown option */
export function chosenVectors(suite: Suite, options: ConformanceOptions): readonly Vector[] {
  for (const name of Object.keys(options)) {
    const problem = `conformance has no option ${JSON.stringify(name)}`;
    entryNamed(OPTIONS, name, problem, `the options are ${Object.keys(OPTIONS).join(', ')}`);
  }
  const { ids, rule, level, operation, smoke = false, large = false } = options;
  return selectVectors(suite, {
    patterns: listOf(ids),
    rules: listOf(rule),
    levels: listOf(level),
    operations: listOf(operation),
    smoke,
    large,
  });
}

export function expectedFailures(suite: Suite, options: ConformanceOptions): ReadonlySet<string> {
  const patterns = listOf(options.expectFailures);
  if (patterns.length === 0) return new Set();
  const unrestricted = { rules: [], levels: [], operations: [], smoke: false, large: true };
  return new Set(selectVectors(suite, { patterns, ...unrestricted }).map(({ id }) => id));
}

export function listOf(texts: string | readonly string[] = []): readonly string[] {
  return typeof texts === 'string' ? [texts] : texts;
}

/** Refuses options that select no test, because a suite with only skipped tests looks like a pass. */
export function refuseEmptySelection(
  operations: readonly string[],
  vectors: readonly Vector[],
): void {
  if (operations.length === 0) {
    throw new UsageError(
      'no function of the signer has the name of an operation, such as authorization or urlEncode; see adapters/PROTOCOL.md',
    );
  }
  if (vectors.some(({ operation }) => operations.includes(operation))) return;
  throw new UsageError(
    `no selected vector has an operation of the signer; the signer has ${operations.join(', ')}`,
  );
}
