/**
 * A YAML file with the position of everything in it.
 *
 * @module
 */
import { relative, sep } from 'node:path';
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  visit,
} from 'yaml';
import { describeSystemError } from '../../reference/system-errors.ts';
import { DataError } from '../engine/errors.ts';
import { faultPath, faultText, type SchemaFault, type Validator } from './schema/fault.ts';
import { LARGEST, readText } from './user-files.ts';

/** Member names and list positions from the outside in. */
export type Path = readonly (string | number)[];

export interface YamlFile<Shape = unknown> {
  readonly data: Shape;
  readonly text: string;
  /** `file:line:column`. */
  readonly place: (path: Path) => string;
  /** The first and the last line of the value at a path. */
  readonly lines: (path: Path) => readonly [first: number, last: number];
  /** `file:line:column: message`, at the value or, with `atName`, at the name of the member. */
  readonly problem: (path: Path, message: string, atName?: boolean) => string;
}

/** A path as messages show it: relative, with slashes on every platform. */
function shownName(path: string): string {
  return relative(process.cwd(), path).split(sep).join('/');
}

/** @throws DataError with every problem, if the file is not plain YAML or does not match the schema */
export function readCheckedYaml<Shape>(
  path: string,
  schema: Validator<Shape>,
  shownAs: string = shownName(path),
): YamlFile<Shape> {
  const file = readYamlFile(path, shownAs);
  const { data } = file;
  if (schema(data)) return { ...file, data };
  throw new DataError(explainFaults(file, schema.errors ?? [], []));
}

/** Reads plain YAML: one document, without anchors, aliases and tags. */
function readYamlFile(path: string, shownAs: string): YamlFile {
  const lines = new LineCounter();
  const text = readYamlText(path, shownAs);
  const document = parseDocument(text, { lineCounter: lines });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${shownAs}:${line}:${col}`;
  };
  const problems = findYamlProblems(document, at);
  if (problems.length > 0) throw new DataError(problems);
  const nodeAt = (path: Path): Node | undefined => {
    const node = document.getIn(path, true);
    return isNode(node) ? node : undefined;
  };
  const rangeOf = (path: Path): readonly number[] => nodeAt(path)?.range ?? [0, 0];
  return {
    data: document.toJS(),
    text,
    place: (path) => at(rangeOf(path)[0] ?? 0),
    lines(path) {
      const [start = 0, end = 0] = rangeOf(path);
      const last = start + text.slice(start, end).trimEnd().length;
      return [lines.linePos(start).line, lines.linePos(last).line];
    },
    problem(path, message, atName = false) {
      const node = (atName ? findName(document, path) : undefined) ?? nodeAt(path);
      const { range } = node ?? document.contents ?? {};
      return `${at(range?.[0] ?? 0)}: ${path.join('/') || 'the file'} ${message}`;
    },
  };
}

/** The node of a member's name. */
function findName(document: Document, path: Path): Node | undefined {
  const parent = document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent)
    ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))
    : undefined;
  return isScalar(pair?.key) ? pair.key : undefined;
}

/** One YAML error causes many more after it. */
const SHOWN_ERRORS = 20;

function findYamlProblems(
  document: Document.Parsed<ParsedNode>,
  at: (offset: number) => string,
): readonly string[] {
  const problems = document.errors
    .slice(0, SHOWN_ERRORS)
    .map(
      ({ pos, message }) => `${at(pos[0])}: ${message.split('\n')[0]?.replace(/ at line .*/, '')}`,
    );
  const report = ({ range }: Node, message: string): void => {
    problems.push(`${at(range?.[0] ?? 0)}: ${message}`);
  };
  visit(document, {
    Alias: (_, node) => report(node, 'an alias; write the value out'),
    Node: (_, node) => {
      const { anchor, tag } = node;
      if (anchor !== undefined) report(node, 'an anchor; write the value out where it is needed');
      if (tag !== undefined && !tag.startsWith('tag:yaml.org,2002:')) {
        report(node, `the tag ${tag}; use plain YAML without tags`);
      }
    },
  });
  return problems;
}

function readYamlText(path: string, shownAs: string): string {
  try {
    return readText(path, LARGEST.yaml);
  } catch (error) {
    throw new DataError([`${shownAs}:1:1: the file cannot be read: ${describeSystemError(error)}`]);
  }
}

/** The problems of a value in a file, which is at `path`. */
export function explainFaults(
  file: YamlFile,
  faults: readonly SchemaFault[],
  path: Path,
): readonly string[] {
  const deepest = Math.max(...faults.map((fault) => faultPath(fault).length));
  return faults
    .filter((fault) => !isEcho(fault) || faultPath(fault).length === deepest)
    .map((fault) => {
      const place = [...path, ...faultPath(fault)];
      const unknown = fault.params['additionalProperty'];
      return typeof unknown === 'string'
        ? file.problem([...place, unknown], `is not a member here`, true)
        : file.problem(place, faultText(fault));
    });
}

/** `oneOf` and `if` only repeat the message of a deeper fault. */
function isEcho({ keyword }: SchemaFault): boolean {
  return keyword === 'oneOf' || keyword === 'if';
}
