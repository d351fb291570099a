/**
 * `vectors`: checks, proves and completes vector files.
 *
 * @module
 */
import { EXIT, UsageError } from '../engine/errors.ts';
import { formatCount } from '../engine/excerpt.ts';
import type { Respondent } from '../engine/respondent.ts';
import { listRepositoryAdapters } from '../respondents/adapter/manifest.ts';
import { packagePath } from '../suite/package-root.ts';
import type { Call, Io } from './call.ts';
import { createPool } from './subjects.ts';
import type { Parsed, Verb } from './verb.ts';

const group = 'Options of vectors prove';

export const vectorsVerb: Verb = {
  usage: ['vectors check [FOLDER]', 'vectors prove [options] [FOLDER]', 'vectors fill FILE…'],
  example: 'vectors prove',
  exitCodes: {
    0: 'the vectors are well-formed, proved or filled in',
    1: 'prove: some mistakes are not caught, or some vectors are redundant',
    3: 'a file of vectors is invalid; fill: the implementations disagree',
    5: 'prove: interrupted',
  },
  summary:
    'For authors of vectors. check reads YAML files and checks their schema, ids, rules and stages. prove reports which known mistakes the vectors catch, whether they distinguish them, and whether each vector is needed. fill computes missing expected values with two implementations that must agree.',
  operands: {
    'check, prove, fill': { help: 'what to do', candidates: () => ['check', 'prove', 'fill'] },
    FOLDER: { help: 'a folder of vectors (default: the vectors of the package)' },
    FILE: { help: 'a file of vectors, to which missing values are added' },
  },
  options: {
    matrix: { value: 'FILE', group, help: 'write the vectors that catch each mistake, as JSON' },
    'write-smoke': { type: 'flag', group, help: 'write the smoke set to smoke.yaml in the folder' },
  },
  run: runTask,
};

async function runTask(given: Parsed, call: Call): Promise<number> {
  const [what, ...paths] = given.positionals;
  if (what !== 'prove' && Object.keys(given.values).length > 0) {
    throw new UsageError('--matrix and --write-smoke are options of vectors prove');
  }
  if (what === 'fill' && paths.length > 0) return fillFiles(paths, call);
  const [folder = packagePath('vectors'), ...more] = paths;
  if (what === 'check' && more.length === 0) return checkFolder(folder, call);
  if (what === 'prove' && more.length === 0) {
    const { proveFolder } = await import('./prove.ts');
    return proveFolder(folder, given, call);
  }
  throw new UsageError(
    'write svc-conformance vectors check [FOLDER], vectors prove [FOLDER], or vectors fill FILE…',
  );
}

async function checkFolder(folder: string, call: Call): Promise<number> {
  const { readSuite } = await import('../suite/suite-folder.ts');
  const { rules, vectors } = readSuite(folder);
  const refused = vectors.filter(({ refuse }) => refuse).length;
  call.print(
    `${formatCount(vectors.length, 'vector')} (${refused} must be refused), ${rules.length} rules: all well-formed\n`,
  );
  return EXIT.asExpected;
}

async function fillFiles(paths: readonly string[], call: Call): Promise<number> {
  const { fillFile } = await import('../make/rederive/fill.ts');
  const second = await secondImplementation(call.io);
  let code: number = EXIT.asExpected;
  try {
    for (const path of paths) {
      const { filled, disagreements } = await fillFile(path, second);
      call.print(`${path}: ${formatCount(filled, 'value')} filled in\n`);
      for (const disagreement of disagreements) call.print(`  ${disagreement}\n`);
      if (disagreements.length > 0) code = EXIT.badData;
    }
  } finally {
    await second.close();
  }
  return code;
}

/** The adapter of the second implementation, which shares no code with the reference. */
const SECOND = 'python';

async function secondImplementation({ env }: Io): Promise<Respondent> {
  const adapter = listRepositoryAdapters().find(({ name }) => name === SECOND);
  if (!adapter || adapter.missing !== undefined) {
    throw new UsageError(
      `vectors fill needs a second implementation, but the adapter ${SECOND} cannot run: ${adapter?.missing ?? 'it is missing'}`,
    );
  }
  const { command, dialect, wire } = adapter;
  const second = await createPool({ command, dialect, wire }, env);
  await second.hello();
  return second;
}
