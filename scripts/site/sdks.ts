/**
 * The published SDKs: their results, from `results.jsonl` beside their adapters, and how the adapters call them.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  countLevel,
  countRules,
  findReason,
  listFailures,
  listOpen,
  type RuleResult,
  type SdkResults,
  type VectorResult,
} from '../../harness/engine/report/sdk-results.ts';
import { LEVELS, type Level, type Suite } from '../../harness/engine/vector.ts';
import {
  listRepositoryAdapters,
  MANIFEST,
  type RepositoryAdapter,
} from '../../harness/respondents/adapter/manifest.ts';
import { readExpectations } from '../../harness/suite/expectations.ts';
import { readPackageData } from '../../harness/suite/package-data.ts';
import { packagePath } from '../../harness/suite/package-root.ts';
import { readSdkResults } from '../../harness/suite/sdk-results.ts';

export interface SdkFailure extends VectorResult {
  /** The reason that the known failures of the SDK give for it. */
  readonly reason?: string;
}

export interface Sdk extends Omit<SdkResults, 'sdk' | 'results'> {
  readonly name: string;
  /** The adapter's folder, relative to the package. */
  readonly folder: string;
  readonly counts: readonly (readonly [level: Level, text: string])[];
  readonly rules: ReadonlyMap<string, RuleResult>;
  readonly failures: readonly SdkFailure[];
  /** The answers to open questions. */
  readonly met: readonly (readonly [id: string, answer: string])[];
  /** The README of its adapter, which says how the SDK is called. */
  readonly readme: string;
  /** The command that installs it. */
  readonly setup?: string;
}

export function readSdks(suite: Suite): readonly Sdk[] {
  return listRepositoryAdapters()
    .filter(({ published }) => published)
    .map((adapter) => readSdk(adapter, suite));
}

function readSdk({ name, folder, expectations }: RepositoryAdapter, suite: Suite): Sdk {
  const results = readSdkResults(folder);
  if (!results) throw new Error(`${name} has no results; run \`svc-conformance results\``);
  const known = expectations === undefined ? [] : readExpectations(expectations, true).entries;
  const { setup } = readPackageData('adapter', join(folder, MANIFEST));
  const { sdk: _, results: __, ...header } = results;
  return {
    ...header,
    name,
    folder: relative(packagePath('.'), folder),
    counts: LEVELS.map((level) => [level, countLevel(results, suite, level)]),
    rules: countRules(results, suite),
    failures: listFailures(results, suite).map(([, result]) => {
      const reason = findReason(result, known);
      return { ...result, ...(reason !== undefined && { reason }) };
    }),
    met: listOpen(results, suite).map(([{ id }, result]) => [id, describeAnswer(result)]),
    readme: readFileSync(join(folder, 'README.md'), 'utf8'),
    ...(setup !== undefined && { setup }),
  };
}

function describeAnswer({ status, met, message = '' }: VectorResult): string {
  if (status === 'open') return met ?? 'none of the named answers';
  return `no answer (${status}${message === '' ? '' : `: ${message}`})`;
}
