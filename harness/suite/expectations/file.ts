/**
 * A file of expectations: reading, checking, and adding entries.
 *
 * @module
 */
import { existsSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { isSeq, parseDocument } from 'yaml';
import { DataError, UsageError } from '../../engine/errors.ts';
import { findMistakeById, findNearestMistake } from '../../engine/expectations/names.ts';
import {
  type Expectation,
  type Expectations,
  type Pattern,
  UNEXPLAINED,
} from '../../engine/judge/expectation.ts';
import type { Status } from '../../engine/judge/judge.ts';
import { compileGlob } from '../../engine/select.ts';
import { bundledForgeries } from '../bundle.ts';
import { expectations as schema } from '../schema/data-validators.js';
import { LARGEST, readText } from '../user-files.ts';
import { type Path, readCheckedYaml, type YamlFile } from '../yaml-file.ts';

/** An entry as the file writes it. */
export interface Entry {
  readonly vectors?: string | readonly string[];
  readonly forged?: string | readonly string[];
  readonly status: Status;
  readonly cause?: string | readonly string[];
  readonly reason: string;
  readonly issue?: string;
  readonly until?: string;
}

/** @throws DataError with every problem of the file */
export function readExpectations(path: string, mustMatch: boolean): Expectations {
  const file = readCheckedYaml(path, shownPath(path), schema);
  const { expectations } = file.data as { readonly expectations: readonly Entry[] };
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
    if (name === UNEXPLAINED || findMistakeById(name)) return [];
    const near = findNearestMistake(name);
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
  const toPattern = (glob: string, own: Path): Pattern => ({
    glob,
    matches: compileGlob(glob),
    place: file.place(own),
    lines: globs.length === 1 || typeof globs === 'string' ? lines : file.lines(own),
  });
  const patterns =
    typeof globs === 'string'
      ? [toPattern(globs, [...path, about])]
      : globs.map((glob, i) => toPattern(glob, [...path, about, i]));
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
  try {
    // A text on one line is easier to remove.
    writeFileSync(path, document.toString({ lineWidth: 0 }));
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `the expectations ${JSON.stringify(path)} cannot be written: ${code}; name a writable file`,
    );
  }
}
