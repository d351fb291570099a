/**
 * One vector file: a YAML file with the vectors of an operation and topic, read and checked.
 *
 * @module
 */
import { relative, sep } from 'node:path';
import { DataError } from '../engine/errors.ts';
import {
  type Input,
  type KeyPair,
  LEVELS,
  type Level,
  type Rule,
  type Stages,
  type Vector,
} from '../engine/vector.ts';
import { operations, vectorFile } from './schema/data-validators.js';
import { findFaults } from './schema/fault.ts';
import type { WrittenFile, WrittenVector } from './schema/shapes.ts';
import { explainFaults, type Path, readCheckedYaml, type YamlFile } from './yaml-file.ts';

/** Operations that do not sign need no key pair. */
const NO_KEYS: KeyPair = { publicKey: '', privateKey: '' };
const KEYLESS = ['url-encode', 'password', 'policy', 'etag', 'part-etag'];

/** Reads a vector file without filling in its defaults, for `vectors fill`. */
export function readWritten(path: string): YamlFile<WrittenFile> {
  return readCheckedYaml(path, vectorFile);
}

/** @throws DataError with every problem of the file */
export function readVectorFile(
  folder: string,
  path: string,
  rules: ReadonlyMap<string, Rule>,
): readonly Vector[] {
  const file = readWritten(path);
  const written = file.data;
  const topic = relative(folder, path).slice(0, -'.yaml'.length).split(sep).join('/');
  const problems = [
    ...findFileProblems(file, written, topic),
    ...written.vectors.flatMap((vector, i) =>
      findVectorProblems(file, written, vector, ['vectors', i], rules),
    ),
  ];
  if (problems.length > 0) throw new DataError(problems);
  return written.vectors.map((vector): Vector => {
    const keep = written.keep?.find(({ vectors }) => vectors.includes(vector.id))?.because;
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
}

/** Problems of the file as a whole: its operation, its ids, its reasons to keep vectors. */
function findFileProblems(
  file: YamlFile,
  { operation, vectors, keep = [] }: WrittenFile,
  topic: string,
): readonly string[] {
  const problems: string[] = [];
  if (topic.split('/')[0] !== operation) {
    problems.push(file.problem(['operation'], `is ${operation}, but the path is ${topic}`));
  }
  const ids = new Set<string>();
  for (const [i, { id }] of vectors.entries()) {
    if (ids.has(id)) {
      problems.push(file.problem(['vectors', i, 'id'], `repeats ${id} of this file`));
    }
    ids.add(id);
  }
  const kept = new Set<string>();
  for (const [i, { vectors }] of keep.entries()) {
    for (const [j, id] of vectors.entries()) {
      const place = ['keep', i, 'vectors', j];
      if (!ids.has(id)) problems.push(file.problem(place, `is ${id}, not a vector of this file`));
      if (kept.has(id)) problems.push(file.problem(place, `repeats ${id}`));
      kept.add(id);
    }
  }
  return problems;
}

function weakestLevel(ids: readonly string[], rules: ReadonlyMap<string, Rule>): Level {
  const levels = ids.map((id) => LEVELS.indexOf(rules.get(id)?.level ?? 'must'));
  return LEVELS[Math.max(...levels)] ?? 'must';
}

function findVectorProblems(
  file: YamlFile,
  written: WrittenFile,
  vector: WrittenVector,
  place: Path,
  rules: ReadonlyMap<string, Rule>,
): readonly string[] {
  const problem = (path: Path, message: string): string =>
    file.problem([...place, ...path], message);
  return [
    ...findShapeProblems(file, written.operation, vector, place),
    ...findRuleProblems(vector, rules, problem),
    ...(!vector.keys && !written.keys && !KEYLESS.includes(written.operation)
      ? [problem([], 'has no keys, and neither has its file')]
      : []),
    ...(!vector.source && !written.source
      ? [problem([], 'has no source, and neither has its file')]
      : []),
  ];
}

/** Problems of the inputs and expected values, whose schemas depend on the operation. */
function findShapeProblems(
  file: YamlFile,
  operation: string,
  { input, expect, control, accept = {} }: WrittenVector,
  place: Path,
): readonly string[] {
  const check = (
    side: 'input' | 'expect',
    value: Input | Stages,
    path: Path,
  ): readonly string[] => {
    const validator = operations[`${side}.${operation}`];
    return validator ? explainFaults(file, findFaults(validator, value), [...place, ...path]) : [];
  };
  return [
    ...check('input', input, ['input']),
    ...(expect ? check('expect', expect, ['expect']) : []),
    ...(control
      ? [
          ...check('input', { ...input, ...control.input }, ['control', 'input']),
          ...check('expect', control.expect, ['control', 'expect']),
        ]
      : []),
    ...Object.entries(accept).flatMap(([name, answer]) =>
      answer.expect ? check('expect', answer.expect, ['accept', name, 'expect']) : [],
    ),
  ];
}

/** Problems of the rules, and of the form of the answer, which depends on their level. */
function findRuleProblems(
  { rules: ids, expect, accept, refuse }: WrittenVector,
  rules: ReadonlyMap<string, Rule>,
  problem: (path: Path, message: string) => string,
): readonly string[] {
  const problems = ids.flatMap((id, i) => {
    const rule = rules.get(id);
    if (!rule) return [problem(['rules', i], `is ${id}, which rules.yaml does not have`)];
    return rule.untested
      ? [problem(['rules', i], `is ${id}, which rules.yaml marks as untested`)]
      : [];
  });
  const isOpen = weakestLevel(ids, rules) === 'open';
  const forms = [expect, accept, refuse].filter((form) => form !== undefined);
  if (forms.length !== 1) {
    problems.push(problem([], 'needs exactly one of expect, accept, refuse'));
  } else if (isOpen && !accept) {
    problems.push(problem([], 'has a rule of level open; write accept, with the accepted answers'));
  } else if (!isOpen && accept) {
    problems.push(
      problem(
        ['accept'],
        'is only for vectors with a rule of level open; add such a rule, or write expect',
      ),
    );
  }
  return problems;
}
