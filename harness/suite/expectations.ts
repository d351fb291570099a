/**
 * A file of expectations: reading, checking, and adding entries.
 *
 * @module
 */

import { existsSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { isSeq, parseDocument } from 'yaml';
import type { FoundCause } from '../engine/diagnosis/diagnose.ts';
import type { Explanation } from '../engine/diagnosis/explanation.ts';
import { DataError } from '../engine/errors.ts';
import {
  type CauseNames,
  findNearestCause,
  groupCausesByVector,
  isCauseId,
} from '../engine/expectations/names.ts';
import { groupByKey } from '../engine/group-by-key.ts';
import { type ForgedOutcome, formatForgedName } from '../engine/judge/forgery.ts';
import type { Status } from '../engine/judge/judge.ts';
import {
  type Expectation,
  type Expectations,
  type Pattern,
  type Run,
  UNEXPLAINED,
} from '../engine/judge/outcome.ts';
import { isFailure, isForgedFailure } from '../engine/judge/summary.ts';
import { filterUncaused, findSharedMistakes } from '../engine/judge/verifiers.ts';
import { collapseToGlobs, compileGlob } from '../engine/select.ts';
import { bundledForgeries } from './bundle.ts';
import { expectations as schema } from './schema/data-validators.js';
import type { Entry } from './schema/shapes.ts';
import { LARGEST, readText, withFile } from './user-files.ts';
import { type Path, readCheckedYaml, type YamlFile } from './yaml-file.ts';

/** @throws DataError with every problem of the file */
export function readExpectations(path: string, mustMatch: boolean): Expectations {
  const file = readCheckedYaml(path, schema, shownPath(path));
  const { expectations } = file.data;
  const problems = expectations.flatMap((entry, i) => findCauseProblems(file, entry, i));
  if (problems.length > 0) throw new DataError(problems);
  return {
    text: file.text.split('\n'),
    entries: expectations.map((entry, i) => toExpectation(file, entry, ['expectations', i])),
    mustMatch,
    today: new Date().toISOString().slice(0, 10),
    forged: bundledForgeries,
  };
}

/** Relative to the working directory, if the path is below it. */
export function shownPath(path: string): string {
  const near = relative('.', path);
  return near.startsWith('..') ? path : near;
}

function findCauseProblems(file: YamlFile, { cause }: Entry, i: number): readonly string[] {
  return [cause ?? []].flat().flatMap((name, place): readonly string[] => {
    if (isCauseId(name)) return [];
    const near = findNearestCause(name);
    const hint =
      near === undefined ? 'name a known mistake, or write unexplained' : `the nearest is ${near}`;
    const path = ['expectations', i, 'cause', ...(typeof cause === 'string' ? [] : [place])];
    return [file.problem(path, `names no known mistake; ${hint}`)];
  });
}

function toExpectation(file: YamlFile, entry: Entry, path: Path): Expectation {
  const { vectors, forged, cause, ...others } = entry;
  const about = vectors === undefined ? 'forged' : 'vectors';
  const globs = vectors ?? forged ?? [];
  const [place, lines] = [file.place(path), file.lines(path)];
  const isList = typeof globs !== 'string';
  const patterns = [globs].flat().map((glob, i): Pattern => {
    const own = [...path, about, ...(isList ? [i] : [])];
    return {
      glob,
      matches: compileGlob(glob),
      place: file.place(own),
      lines: isList && globs.length > 1 ? file.lines(own) : lines,
    };
  });
  const causes = cause === undefined ? {} : { causes: [cause].flat() };
  return { ...others, ...causes, about, patterns, place, lines };
}

const NEW_FILE = `# The known failures of this adapter. A stale entry fails the run.
expectations: []
`;

/** Adds entries to a file, which is created if it does not exist. Existing entries and comments stay. */
export function addEntries(path: string, entries: readonly Entry[]): void {
  const document = parseDocument(existsSync(path) ? readText(path, LARGEST.yaml) : NEW_FILE);
  const list = document.get('expectations');
  if (!isSeq(list)) throw new Error(`${path} has no list of expectations`);
  list.flow = false;
  for (const entry of entries) list.add(document.createNode(entry));
  // No line wrapping, so that an entry is easy to delete.
  const text = document.toString({ lineWidth: 0 });
  withFile(
    () => writeFileSync(path, text),
    `the expectations ${JSON.stringify(path)} cannot be written`,
    'name a writable file',
  );
}

/** Why the failures are known, and until when they are expected. */
export type Grounds = Pick<Entry, 'reason' | 'issue' | 'until'>;

/** An entry names a cause only for answers. */
const ANSWERED: readonly Status[] = ['fail', 'refused', 'inconclusive'];

/**
 * Creates entries for the failures of a run.
 *
 * @param ids the vectors that a glob must distinguish
 * @param wanted only failures with these causes; empty for all failures
 */
export function createEntries(
  run: Run,
  explanation: Explanation | undefined,
  ids: readonly string[],
  wanted: readonly string[],
  grounds: Grounds,
): readonly Entry[] {
  const failures = [
    ...listFailingVectors(run, explanation, ids, wanted),
    ...listForged(run, explanation?.causes ?? [], wanted),
  ];
  return failures.map((failure) => ({ ...failure, ...grounds }));
}

/** An entry without its grounds. */
type KnownFailure = Omit<Entry, keyof Grounds>;

function listFailingVectors(
  { outcomes }: Run,
  explanation: Explanation | undefined,
  ids: readonly string[],
  wanted: readonly string[],
): readonly KnownFailure[] {
  const byVector = explanation ? groupCausesByVector(explanation) : new Map<string, never>();
  /** Vectors that fail with the same status for the same causes. */
  const groups = new Map<
    string,
    { status: Status; causes: readonly string[]; failing: string[] }
  >();
  for (const { vector, verdict } of outcomes.filter(isFailure)) {
    const { status } = verdict;
    const names = chooseNames(byVector.get(vector.id) ?? [], wanted);
    if (names.length === 0 && wanted.length > 0) continue;
    const causes = ANSWERED.includes(status) ? names : [];
    const key = [status, ...causes].join(' ');
    const group = groups.get(key) ?? { status, causes, failing: [] };
    groups.set(key, group);
    group.failing.push(vector.id);
  }
  return [...groups.values()].map(({ status, causes, failing }) => ({
    vectors: unwrapSingle(collapseToGlobs(failing, ids)),
    status,
    ...(causes.length > 0 && { cause: unwrapSingle(causes) }),
  }));
}

/** A name for each cause: the most likely one, or the wanted one. */
function chooseNames(causes: readonly CauseNames[], wanted: readonly string[]): readonly string[] {
  const names = causes.flatMap((fitting) =>
    wanted.length === 0
      ? fitting.slice(0, 1)
      : (fitting.find((name) => wanted.includes(name)) ?? []),
  );
  return [...new Set(names)].sort();
}

/** Entries for the failed forged requests that a wanted cause explains, and for those that no cause explains. */
function listForged(
  { forged = [] }: Run,
  causes: readonly FoundCause[],
  wanted: readonly string[],
): readonly KnownFailure[] {
  const isWanted = (names: readonly string[]): boolean =>
    wanted.length === 0 || names.some((name) => wanted.includes(name));
  const uncaused = filterUncaused(forged, causes);
  const names = causes.flatMap(({ mistake, others }) =>
    isWanted([mistake, ...others].map(({ id }) => id)) ? [mistake.id] : [],
  );
  const caused = forged.filter(({ causes: own = [] }) => own.some((id) => names.includes(id)));
  const unjudged = uncaused.filter(({ verdict }) => verdict.status !== 'fail');
  return [
    ...listShared(uncaused, isWanted),
    ...groupByStatus([...caused, ...(isWanted([UNEXPLAINED]) ? unjudged : [])], names),
  ];
}

/** An entry for each mistake of accepted requests, which several operations may allow. */
function listShared(
  forged: readonly ForgedOutcome[],
  isWanted: (names: readonly string[]) => boolean,
): readonly KnownFailure[] {
  const failures = new Set(forged.filter(isForgedFailure).map(({ forgery }) => forgery));
  return findSharedMistakes(forged)
    .filter(({ accepted }) => accepted.some((forgery) => failures.has(forgery)))
    .flatMap(({ operations, mistakes }): readonly KnownFailure[] => {
      const name = mistakes.find(({ id }) => isWanted([id]));
      if (!name) return [];
      const names = operations.map((operation) => formatForgedName(operation, name.id));
      return [{ forged: unwrapSingle(names), status: 'fail' }];
    });
}

/** An entry for each status of some forged requests. @param preferred the mistakes by which they are named if they have several */
function groupByStatus(
  forged: readonly ForgedOutcome[],
  preferred: readonly string[],
): readonly KnownFailure[] {
  const named = forged.filter(isForgedFailure).map(({ forgery, verdict }) => {
    const { operation, mistakes } = forgery;
    const name = mistakes.find((id) => preferred.includes(id)) ?? mistakes[0] ?? '';
    return [verdict.status, formatForgedName(operation, name)] as const;
  });
  return [...groupByKey(named)].map(([status, names]) => ({
    forged: unwrapSingle([...new Set(names)]),
    status,
  }));
}

/** A list of one name is written as the name alone. */
function unwrapSingle(names: readonly string[]): string | readonly string[] {
  const [first, ...others] = names;
  return first !== undefined && others.length === 0 ? first : names;
}
