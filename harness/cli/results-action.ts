/**
 * Judges the published SDKs and writes the page about them. Loaded when `results` runs, not for its help.
 *
 * @module
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseDialect } from '../engine/dialects.ts';
import { EXIT, UsageError } from '../engine/errors.ts';
import { runVectors } from '../engine/judge/run.ts';
import { enforceAdvised } from '../engine/judge/summary.ts';
import { LEVELS, type Suite } from '../engine/vector.ts';
import { translateVectors } from '../make/rederive/dialect.ts';
import { type Judged, resultsPage } from '../render/results-page.ts';
import { listRepositoryAdapters, type RepositoryAdapter } from '../respondents/adapter/manifest.ts';
import { Pool } from '../respondents/adapter/pool.ts';
import { LIMITS } from '../respondents/adapter/session.ts';
import { loadWire } from '../respondents/adapter/wire.ts';
import { BUNDLED, bundledSuite } from '../suite/bundle.ts';
import { readExpectations } from '../suite/expectations/file.ts';
import { packagePath } from '../suite/package-root.ts';
import type { Call } from './call.ts';
import { explainFailures } from './explain-failures.ts';
import type { Parsed } from './verb.ts';

const PAGE = 'RESULTS.md';

export async function writeResults(given: Parsed, call: Call): Promise<number> {
  if (given.positionals.length > 0) throw new UsageError('write svc-conformance results [--check]');
  const adapters = listRepositoryAdapters().filter(({ published }) => published);
  for (const { name, missing } of adapters) {
    // A page without one of them would look as if it had no failures.
    if (missing !== undefined)
      throw new UsageError(`${PAGE} cannot be made: ${name} is not run, because ${missing}`);
  }
  const suite = bundledSuite();
  const judged = await Promise.all(
    adapters.map((adapter) => judgeAdapter(adapter, suite, call.env)),
  );
  const page = resultsPage(suite, judged);
  const path = packagePath(PAGE);
  if (!given.values['check']) {
    writeFileSync(path, page);
    call.print(`${PAGE} written: ${adapters.length} SDKs, ${suite.vectors.length} vectors\n`);
    return EXIT.asExpected;
  }
  if (existsSync(path) && readFileSync(path, 'utf8') === page) {
    call.print(`${PAGE} is what the SDKs give\n`);
    return EXIT.asExpected;
  }
  call.print(
    `${PAGE} is not what the SDKs give now; run \`svc-conformance results\` and look at the change\n`,
  );
  return EXIT.failures;
}

async function judgeAdapter(
  { name, command, dialect, wire, expectations }: RepositoryAdapter,
  suite: Suite,
  env: NodeJS.ProcessEnv,
): Promise<Judged> {
  const pool = new Pool(command, parseDialect(dialect), LIMITS, 1, await loadWire(wire), { env });
  try {
    const vectors = translateVectors(parseDialect(dialect), suite.vectors);
    const good = vectors.filter(({ id }) => suite.knownGood.includes(id));
    const asked = await runVectors(pool, { vectors, knownGood: good });
    // The page shows what happens at every level.
    const done = enforceAdvised(asked, { levels: LEVELS });
    if (done.neverWorked !== undefined || done.stopReason !== undefined) {
      throw new UsageError(
        `${PAGE} cannot be made: ${name} did not work to the end: ${done.neverWorked ?? done.stopReason}`,
      );
    }
    const known = expectations === undefined ? undefined : readExpectations(expectations, true);
    const ids = suite.vectors.map(({ id }) => id);
    const witness = {
      respondent: pool,
      dialect: parseDialect(dialect),
      data: BUNDLED,
      unasked: async () => [],
    };
    const { run: explainedRun } = await explainFailures(done, witness, ids, known);
    return { name, dialect, run: explainedRun };
  } finally {
    await pool.close();
  }
}
