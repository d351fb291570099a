/**
 * Judges the published SDKs and writes their results, and the page about them. Loaded when `results` runs, not for its help.
 *
 * @module
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { EXIT, UsageError } from '../engine/errors.ts';
import { formatCount } from '../engine/excerpt.ts';
import type { Run } from '../engine/judge/outcome.ts';
import { runVectors } from '../engine/judge/run.ts';
import { enforceAdvised } from '../engine/judge/summary.ts';
import { createSdkResults, formatSdkResults } from '../engine/report/sdk-results.ts';
import type { Respondent } from '../engine/respondent.ts';
import { LEVELS, type Suite } from '../engine/vector.ts';
import { type JudgedSdk, resultsPage } from '../render/results-page.ts';
import { listRepositoryAdapters, type RepositoryAdapter } from '../respondents/adapter/manifest.ts';
import { bundledSuite } from '../suite/bundle.ts';
import { readExpectations, shownPath } from '../suite/expectations.ts';
import { packagePath } from '../suite/package-root.ts';
import { readSdkResults, resultsPath } from '../suite/sdk-results.ts';
import { type Call, startProgress } from './call.ts';
import { explainFailures } from './explain-failures.ts';
import { translateTo } from './selection.ts';
import { createPool } from './subjects.ts';
import { flagOption, type Parsed } from './verb.ts';

const PAGE = 'RESULTS.md';

export async function writeResults(given: Parsed, call: Call): Promise<number> {
  if (given.positionals.length > 0) throw new UsageError('write svc-conformance results [--check]');
  const adapters = listRepositoryAdapters().filter(({ published }) => published);
  for (const { name, missing } of adapters) {
    // A missing SDK would seem to have no failures.
    if (missing !== undefined)
      throw new UsageError(`${PAGE} cannot be written: ${name} is not run, because ${missing}`);
  }
  const suite = bundledSuite();
  const progress = startProgress(call, `asking ${formatCount(adapters.length, 'SDK')}`);
  const judging = adapters.map((adapter) => judgeAdapter(adapter, suite, call.io.env));
  const judged = await Promise.all(judging).finally(progress.stop);
  const files = [
    ...judged.map(({ path, results }) => ({ path, text: formatSdkResults(results) })),
    { path: packagePath(PAGE), text: resultsPage(suite, judged) },
  ];
  if (flagOption(given, 'check')) return checkFiles(files, call);
  for (const { path, text } of files) writeFileSync(path, text);
  call.print(
    `${PAGE} written: ${formatCount(adapters.length, 'SDK')}, ${suite.vectors.length} vectors\n`,
  );
  return EXIT.asExpected;
}

function checkFiles(
  files: readonly { readonly path: string; readonly text: string }[],
  call: Call,
): number {
  const stale = files.filter(
    ({ path, text }) => !existsSync(path) || readFileSync(path, 'utf8') !== text,
  );
  if (stale.length === 0) {
    call.print(`${PAGE} is up to date\n`);
    return EXIT.asExpected;
  }
  const names = stale.map(({ path }) => shownPath(path)).join(', ');
  call.print(`out of date: ${names}; run \`svc-conformance results\` and review the changes\n`);
  return EXIT.failures;
}

interface JudgedAdapter extends JudgedSdk {
  readonly path: string;
}

async function judgeAdapter(
  { name, command, dialect, wire, folder, expectations }: RepositoryAdapter,
  suite: Suite,
  env: NodeJS.ProcessEnv,
): Promise<JudgedAdapter> {
  const pool = await createPool({ command, dialect, wire }, env);
  try {
    const known = expectations === undefined ? undefined : readExpectations(expectations, true);
    const asked = await askAll(pool, name, dialect, suite);
    const { run } = await explainFailures(asked, { dialect, respondent: pool }, suite, known);
    const date = new Date().toISOString().slice(0, 10);
    const results = withFirstDate(folder, createSdkResults({ sdk: name, dialect, date }, run));
    return { path: resultsPath(folder), results, known: known?.entries ?? [] };
  } finally {
    await pool.close();
  }
}

/** The outcomes of all vectors, at every level. @throws UsageError if the adapter did not work to the end */
async function askAll(pool: Respondent, name: string, dialect: string, suite: Suite): Promise<Run> {
  const vectors = await translateTo(dialect, suite.vectors);
  const knownGood = vectors.filter(({ id }) => suite.knownGood.includes(id));
  const asked = await runVectors(pool, { vectors, knownGood });
  const why = asked.neverWorked ?? asked.stopReason;
  if (why !== undefined)
    throw new UsageError(`${PAGE} cannot be written: ${name} did not work to the end: ${why}`);
  return enforceAdvised(asked, { levels: LEVELS });
}

/** The results, with the date of the file if it has the same. */
function withFirstDate(folder: string, results: JudgedSdk['results']): JudgedSdk['results'] {
  const before = readSdkResults(folder);
  if (!before) return results;
  const same = { ...results, date: before.date };
  return formatSdkResults(before) === formatSdkResults(same) ? same : results;
}
