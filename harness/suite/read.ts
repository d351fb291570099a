/**
 * The vectors as people write them: `rules.yaml` and one YAML file for each topic, checked.
 *
 * @module
 */
import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { DataError, UsageError } from '../errors.ts';
import { operations, rules as rulesSchema, vectorFile } from '../schema/data-validators.js';
import { type Keep, reasonsToKeep } from './keep.ts';
import { packageVersion } from './package-root.ts';
import { readSmoke, SMOKE_FILE } from './smoke-file.ts';
import {
  type Input,
  type KeyPair,
  LEVELS,
  type Level,
  type Rule,
  type Stages,
  type Suite,
  type Vector,
} from './vector.ts';
import { type Path, schemaProblems, type YamlFile, yamlFile } from './yaml-file.ts';

/** A vector as it stands in its file, where the file's own keys and source may apply. */
export interface WrittenVector
  extends Omit<Vector, 'level' | 'operation' | 'keys' | 'source' | 'keep'> {
  readonly keys?: KeyPair;
  readonly source?: string;
}

export interface WrittenFile {
  readonly operation: string;
  readonly source?: string;
  readonly keys?: KeyPair;
  readonly keep?: readonly Keep[];
  readonly vectors: readonly WrittenVector[];
}

const RULES_FILE = 'rules.yaml';

/** Operations that do not sign need no key pair. */
const NO_KEYS: KeyPair = { publicKey: '', privateKey: '' };
const KEYLESS = ['url-encode', 'password', 'policy', 'etag', 'part-etag'];

/** A folder with more entries than this holds more than vectors. */
const MOST_ENTRIES = 50_000;

/** Every vector file below a folder, in a stable order. */
export function vectorFiles(folder: string): readonly string[] {
  const unusable = (fault: string): UsageError =>
    new UsageError(
      `folder ${JSON.stringify(folder)} ${fault}; name one that holds rules.yaml and vector files`,
    );
  let names: readonly string[];
  try {
    names = namesBelow(folder, MOST_ENTRIES + 1);
  } catch {
    throw unusable('cannot be read');
  }
  if (names.length > MOST_ENTRIES) throw unusable(`holds more than ${MOST_ENTRIES} entries`);
  return names
    .filter((name) => name.endsWith('.yaml') && name !== RULES_FILE && name !== SMOKE_FILE)
    .map((name) => join(folder, name))
    .sort();
}

/** What is in a folder and in the folders in it, up to a number of names. */
function namesBelow(folder: string, most: number): readonly string[] {
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
 * Reads and checks a whole folder; a `DataError` carries every problem of every file.
 *
 * @param withSmoke false for who writes the smoke set anew, of which some vectors may be gone
 */
export function readSuite(folder: string, withSmoke = true): Suite {
  const problems: string[] = [];
  const rules = collecting(problems, () => readRules(folder));
  const known = rules && new Map(rules.map((rule) => [rule.id, rule]));
  const vectors: Vector[] = [];
  for (const path of vectorFiles(folder)) {
    const read = collecting(problems, () => {
      if (known) return readVectorFile(folder, path, known);
      // Without rules, only the shape of a file can be checked.
      readWritten(path);
      return [];
    });
    if (read) vectors.push(...read);
  }
  if (problems.length > 0 || !rules) throw new DataError(problems);
  const ids = vectors.map(({ id }) => id);
  const smoke = withSmoke ? readSmoke(folder, shownName, ids) : undefined;
  const knownGood = simplestVectors(vectors);
  return { version: packageVersion(), rules, vectors, knownGood, ...(smoke && { smoke }) };
}

function simplestVectors(vectors: readonly Vector[]): readonly string[] {
  const size = ({ input }: Vector): number => JSON.stringify(input).length;
  const simplest = new Map<string, Vector>();
  for (const vector of vectors) {
    if (vector.level !== 'must' || !vector.expect) continue;
    const best = simplest.get(vector.operation);
    if (!best || size(vector) < size(best)) simplest.set(vector.operation, vector);
  }
  return [...simplest.values()].map(({ id }) => id);
}

function collecting<T>(problems: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    problems.push(...error.problems);
    return undefined;
  }
}

/** How a file is named in messages: with slashes, on every platform. */
function shownName(path: string): string {
  return relative(process.cwd(), path).split(sep).join('/');
}

function readRules(folder: string): readonly Rule[] {
  const path = join(folder, RULES_FILE);
  let file: YamlFile;
  try {
    file = yamlFile(path, shownName(path));
  } catch (error) {
    if (error instanceof DataError) throw error;
    throw new DataError([
      `${shownName(path)}:1:1: the file cannot be read; every folder of vectors has its rules`,
    ]);
  }
  const problems = [...schemaProblems(file, rulesSchema, file.data)];
  if (problems.length > 0) throw new DataError(problems);
  const { rules } = file.data as { readonly rules: readonly Rule[] };
  const seen = new Set<string>();
  for (const [i, { id }] of rules.entries()) {
    if (seen.has(id)) problems.push(file.problem(['rules', i, 'id'], `is ${id} a second time`));
    seen.add(id);
  }
  if (problems.length > 0) throw new DataError(problems);
  return rules;
}

/** A vector file without its defaults filled in: what `vectors fill` works on. */
export function readWritten(path: string): {
  readonly file: YamlFile;
  readonly written: WrittenFile;
} {
  const file = yamlFile(path, shownName(path));
  const problems = schemaProblems(file, vectorFile, file.data);
  if (problems.length > 0) throw new DataError(problems);
  return { file, written: file.data as WrittenFile };
}

function readVectorFile(
  folder: string,
  path: string,
  rules: ReadonlyMap<string, Rule>,
): readonly Vector[] {
  const { file, written } = readWritten(path);
  const problems: string[] = [];
  const topic = relative(folder, path).slice(0, -'.yaml'.length).split(sep).join('/');
  if (topic.split('/')[0] !== written.operation) {
    problems.push(
      file.problem(['operation'], `is ${written.operation}, but the file lies in ${topic}`),
    );
  }
  const ids = written.vectors.map(({ id }) => id);
  const reasons = reasonsToKeep(file, written.keep ?? [], ids, problems);
  const seen = new Set<string>();
  const vectors = written.vectors.map((vector, i): Vector => {
    const place: Path = ['vectors', i];
    problems.push(...vectorProblems(file, written, vector, place, rules));
    if (seen.has(vector.id)) {
      problems.push(file.problem([...place, 'id'], `is ${vector.id} a second time in this file`));
    }
    seen.add(vector.id);
    const keep = reasons.get(vector.id);
    return {
      ...vector,
      id: `${topic}/${vector.id}`,
      operation: written.operation,
      level: weakestLevel(vector.rules, rules),
      keys: vector.keys ?? written.keys ?? NO_KEYS,
      source: vector.source ?? written.source ?? '',
      ...(keep !== undefined && { keep }),
    };
  });
  if (problems.length > 0) throw new DataError(problems);
  return vectors;
}

function weakestLevel(ids: readonly string[], rules: ReadonlyMap<string, Rule>): Level {
  const levels = ids.map((id) => LEVELS.indexOf(rules.get(id)?.level ?? 'must'));
  return LEVELS[Math.max(...levels)] ?? 'must';
}

function vectorProblems(
  file: YamlFile,
  { operation, keys, source }: WrittenFile,
  vector: WrittenVector,
  place: Path,
  rules: ReadonlyMap<string, Rule>,
): readonly string[] {
  const problems: string[] = [];
  const problem = (path: Path, what: string): void =>
    void problems.push(file.problem([...place, ...path], what));
  const fits = (side: 'input' | 'expect', value: Input | Stages, path: Path): void => {
    const validator = operations[`${side}.${operation}`];
    if (validator) problems.push(...schemaProblems(file, validator, value, [...place, ...path]));
  };

  fits('input', vector.input, ['input']);
  if (vector.expect) fits('expect', vector.expect, ['expect']);
  if (vector.control) {
    fits('input', { ...vector.input, ...vector.control.input }, ['control', 'input']);
    fits('expect', vector.control.expect, ['control', 'expect']);
  }
  for (const [name, { expect }] of Object.entries(vector.accept ?? {})) {
    if (expect) fits('expect', expect, ['accept', name, 'expect']);
  }

  for (const [i, id] of vector.rules.entries()) {
    const rule = rules.get(id);
    if (!rule) problem(['rules', i], `is ${id}, which rules.yaml does not have`);
    else if (rule.untested) problem(['rules', i], `is ${id}, which rules.yaml calls untestable`);
  }
  const open = weakestLevel(vector.rules, rules) === 'open';
  const forms = [vector.expect, vector.accept, vector.refuse].filter((form) => form !== undefined);
  if (forms.length !== 1) problem([], 'needs exactly one of expect, accept, refuse');
  else if (open && !vector.accept) {
    problem([], 'has a rule of level open and so needs accept, with the answers that are taken');
  } else if (!open && vector.accept) {
    problem(['accept'], 'is for vectors with a rule of level open; name one, or write expect');
  }
  if (!vector.keys && !keys && !KEYLESS.includes(operation)) {
    problem([], 'has no keys, and neither has its file');
  }
  if (!vector.source && !source) problem([], 'has no source, and neither has its file');
  return problems;
}
