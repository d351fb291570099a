/**
 * `results`: the page about the published SDKs.
 *
 * @module
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type RepositoryAdapter, repositoryAdapters } from '../adapter/manifest.ts';
import { Pool } from '../adapter/pool.ts';
import { LIMITS } from '../adapter/session.ts';
import { wireNamed } from '../adapter/wires.ts';
import { dialectNamed } from '../dialects.ts';
import { EXIT, UsageError } from '../errors.ts';
import { readExpectations } from '../expectations/file.ts';
import { print } from '../output.ts';
import { inWordsOf } from '../rederive/dialect.ts';
import { type Judged, resultsPage } from '../report/results-page.ts';
import { run } from '../run.ts';
import { bundledSuite } from '../suite/bundle.ts';
import { ContentFolder } from '../suite/content.ts';
import { packagePath } from '../suite/package-root.ts';
import { LEVELS, type Suite } from '../suite/vector.ts';
import { enforced } from '../verdict.ts';
import { settled } from './settled.ts';
import { parsed, refuseCommand, type Verb } from './verb.ts';

const PAGE = 'RESULTS.md';

export const resultsVerb: Verb = async (parameters) => {
  const given = parsed(parameters, { check: { type: 'boolean' } });
  refuseCommand(given);
  if (given.positionals.length > 0) throw new UsageError('write svc-conformance results [--check]');
  const adapters = repositoryAdapters().filter(({ published }) => published);
  for (const { name, missing } of adapters) {
    // A page without one of them would say that it has no failures.
    if (missing !== undefined)
      throw new UsageError(`${PAGE} cannot be made: ${name} is not run, because ${missing}`);
  }
  const suite = bundledSuite();
  const judged = await Promise.all(adapters.map((adapter) => judgedAdapter(adapter, suite)));
  const page = resultsPage(suite, judged);
  const path = packagePath(PAGE);
  if (!given.values['check']) {
    writeFileSync(path, page);
    print(`${PAGE} written: ${adapters.length} SDKs, ${suite.vectors.length} vectors\n`);
    return EXIT.asExpected;
  }
  if (existsSync(path) && readFileSync(path, 'utf8') === page) {
    print(`${PAGE} is what the SDKs give\n`);
    return EXIT.asExpected;
  }
  print(
    `${PAGE} is not what the SDKs give now; run \`svc-conformance results\` and look at the change\n`,
  );
  return EXIT.failures;
};

async function judgedAdapter(
  { name, command, dialect, wire, expectations }: RepositoryAdapter,
  suite: Suite,
): Promise<Judged> {
  const pool = new Pool(command, dialectNamed(dialect), LIMITS, 1, await wireNamed(wire));
  const contents = new ContentFolder();
  try {
    const vectors = inWordsOf(dialectNamed(dialect), suite.vectors);
    const good = vectors.filter(({ id }) => suite.knownGood.includes(id));
    const asked = await run(pool, pool.start(), vectors, good, contents);
    // The page shows what happens at every level.
    const done = enforced(asked, { levels: LEVELS });
    if (done.neverWorked !== undefined || done.over !== undefined) {
      throw new UsageError(
        `${PAGE} cannot be made: ${name} did not work to the end: ${done.neverWorked ?? done.over}`,
      );
    }
    const known = expectations === undefined ? undefined : readExpectations(expectations, true);
    const ids = suite.vectors.map(({ id }) => id);
    const witness = { pool, dialect: dialectNamed(dialect), contents, unasked: async () => [] };
    const { run: settledRun } = await settled(done, witness, ids, known);
    return { name, dialect, run: settledRun };
  } finally {
    await pool.close();
    contents.remove();
  }
}
