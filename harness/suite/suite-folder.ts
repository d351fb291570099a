/**
 * A folder of vectors as people write it: `rules.yaml`, a YAML file for each topic, and the smoke set.
 *
 * @module
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataError, UsageError } from '../engine/errors.ts';
import { selectSimplest } from '../engine/select.ts';
import type { Rule, Suite, Vector } from '../engine/vector.ts';
import { packageVersion, siteAddress } from './package-root.ts';
import { rules as rulesSchema, smoke as smokeSchema } from './schema/data-validators.js';
import { readVectorFile, readWritten } from './vector-file.ts';
import { readCheckedYaml } from './yaml-file.ts';

const RULES_FILE = 'rules.yaml';

/** `vectors prove --write-smoke` writes it. The build does not: the proof takes longer than the whole build. */
export const SMOKE_FILE = 'smoke.yaml';

/** A folder with more entries than this is refused, because it probably contains more than vectors. */
const MOST_ENTRIES = 50_000;

/** Every vector file below a folder, in a stable order. */
function vectorFiles(folder: string): readonly string[] {
  const unusable = (fault: string): UsageError =>
    new UsageError(
      `folder ${JSON.stringify(folder)} ${fault}; name one that holds rules.yaml and vector files`,
    );
  let names: readonly string[];
  try {
    names = listNames(folder, MOST_ENTRIES + 1);
  } catch {
    throw unusable('cannot be read');
  }
  if (names.length > MOST_ENTRIES) throw unusable(`holds more than ${MOST_ENTRIES} entries`);
  return names
    .filter((name) => name.endsWith('.yaml') && name !== RULES_FILE && name !== SMOKE_FILE)
    .map((name) => join(folder, name))
    .sort();
}

/** The names of everything below a folder. It stops listing after `most` names. */
function listNames(folder: string, most: number): readonly string[] {
  const names: string[] = [];
  const folders = [''];
  for (let at = folders.pop(); at !== undefined && names.length < most; at = folders.pop()) {
    for (const entry of readdirSync(join(folder, at), { withFileTypes: true })) {
      const name = join(at, entry.name);
      names.push(name);
      if (entry.isDirectory()) folders.push(name);
    }
  }
  return names;
}

/**
 * Reads and checks a whole folder.
 *
 * @param withSmoke false if the caller writes a new smoke set: the old one may name vectors that no longer exist
 * @throws DataError with every problem of every file
 */
export function readSuite(folder: string, withSmoke = true): Suite {
  const problems: string[] = [];
  const rules = collectProblems(problems, () => readRules(folder));
  const rulesById = rules && new Map(rules.map((rule) => [rule.id, rule]));
  const vectors: Vector[] = [];
  for (const path of vectorFiles(folder)) {
    collectProblems(problems, () => {
      // Without rules, only the shape of a file can be checked.
      if (rulesById) vectors.push(...readVectorFile(folder, path, rulesById));
      else readWritten(path);
    });
  }
  if (problems.length > 0 || !rules) throw new DataError(problems);
  const ids = vectors.map(({ id }) => id);
  const smoke = withSmoke ? readSmoke(folder, ids) : undefined;
  const knownGood = selectSimplest(vectors.filter(({ level }) => level === 'must'));
  const site = siteAddress();
  return {
    version: packageVersion(),
    ...(site !== undefined && { site }),
    rules,
    vectors,
    knownGood: knownGood.map(({ id }) => id),
    ...(smoke && { smoke }),
  };
}

function collectProblems<T>(problems: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    problems.push(...error.problems);
    return undefined;
  }
}

function readRules(folder: string): readonly Rule[] {
  const file = readCheckedYaml(join(folder, RULES_FILE), rulesSchema);
  const { rules } = file.data;
  const problems = rules.flatMap(({ id }, i) =>
    rules.findIndex((rule) => rule.id === id) < i
      ? [file.problem(['rules', i, 'id'], `repeats ${id}`)]
      : [],
  );
  if (problems.length > 0) throw new DataError(problems);
  return rules;
}

/** The ids of the smoke set; undefined if the folder has no smoke set. */
function readSmoke(folder: string, known: readonly string[]): readonly string[] | undefined {
  const path = join(folder, SMOKE_FILE);
  if (!existsSync(path)) return undefined;
  const file = readCheckedYaml(path, smokeSchema);
  const { vectors } = file.data;
  const problems = vectors.flatMap((id, i) =>
    known.includes(id)
      ? []
      : file.problem(
          ['vectors', i],
          `is ${id}, which is not a vector; write the file again with \`vectors prove --write-smoke\``,
        ),
  );
  if (problems.length > 0) throw new DataError(problems);
  return vectors;
}

export function writeSmoke(folder: string, ids: readonly string[]): void {
  writeFileSync(
    join(folder, SMOKE_FILE),
    `# For each operation, a few of its vectors that together catch nearly all mistakes that all of its vectors catch.\n` +
      `# \`svc-conformance vectors prove --write-smoke\` writes this file; do not edit it.\n` +
      `vectors:\n${ids.map((id) => `  - ${id}\n`).join('')}`,
  );
}
