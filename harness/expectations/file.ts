/**
 * A file of expectations, read and checked.
 *
 * @module
 */
import { relative } from 'node:path';
import { knownMistake, nearestMistake } from '../diagnosis/register.ts';
import { DataError } from '../errors.ts';
import type { Status } from '../judge/judge.ts';
import { expectations as schema } from '../schema/data-validators.js';
import { globPattern } from '../suite/select.ts';
import { type Path, schemaProblems, type YamlFile, yamlFile } from '../suite/yaml-file.ts';
import { type Expectation, type Expectations, type Pattern, UNEXPLAINED } from './expectation.ts';

/** An entry as it is written. */
export interface Entry {
  readonly vectors?: string | readonly string[];
  readonly forged?: string | readonly string[];
  readonly status: Status;
  readonly cause?: string | readonly string[];
  readonly reason: string;
  readonly issue?: string;
  readonly until?: string;
}

/** Throws a `DataError` with every problem of the file. */
export function readExpectations(path: string, mustMatch: boolean): Expectations {
  const file = yamlFile(path, shownPath(path));
  const problems = schemaProblems(file, schema, file.data);
  if (problems.length > 0) throw new DataError(problems);
  const { expectations } = file.data as { readonly expectations: readonly Entry[] };
  const foreign = expectations.flatMap((entry, i) => causeProblems(file, entry, i));
  if (foreign.length > 0) throw new DataError(foreign);
  return {
    text: file.text.split('\n'),
    entries: expectations.map((entry, i) => expectationOf(file, entry, ['expectations', i])),
    mustMatch,
    today: new Date().toISOString().slice(0, 10),
  };
}

/** As short as it can be found. */
export function shownPath(path: string): string {
  const near = relative('.', path);
  return near.startsWith('..') ? path : near;
}

function causeProblems(file: YamlFile, { cause }: Entry, i: number): readonly string[] {
  return [cause ?? []].flat().flatMap((name, place): readonly string[] => {
    if (name === UNEXPLAINED || knownMistake(name)) return [];
    const near = nearestMistake(name);
    const hint = near === undefined ? 'name one, or write unexplained' : `the nearest is ${near}`;
    const path = ['expectations', i, 'cause', ...(typeof cause === 'string' ? [] : [place])];
    return [file.problem(path, `names no known mistake; ${hint}`)];
  });
}

function expectationOf(file: YamlFile, entry: Entry, path: Path): Expectation {
  const { vectors, forged, cause, ...others } = entry;
  const about = vectors === undefined ? 'forged' : 'vectors';
  const globs = vectors ?? forged ?? [];
  const [place, lines] = [file.place(path), file.lines(path)];
  const pattern = (glob: string, own: Path): Pattern => ({
    glob,
    matches: globPattern(glob),
    place: file.place(own),
    lines: globs.length === 1 || typeof globs === 'string' ? lines : file.lines(own),
  });
  const patterns =
    typeof globs === 'string'
      ? [pattern(globs, [...path, about])]
      : globs.map((glob, i) => pattern(glob, [...path, about, i]));
  const causes = cause === undefined ? {} : { causes: [cause].flat() };
  return { ...others, ...causes, about, patterns, place, lines };
}
