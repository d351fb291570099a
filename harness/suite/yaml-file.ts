/**
 * One YAML file with the positions of everything in it.
 *
 * @module
 */
import { isMap, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { DataError } from '../errors.ts';
import { LARGEST, textOfFile } from '../input.ts';
import {
  faultPath,
  faultsOf,
  faultText,
  type SchemaFault,
  type Validator,
} from '../schema/fault.ts';

/** Where something is: member names and list positions from the outside in. */
export type Path = readonly (string | number)[];

export interface YamlFile {
  readonly data: unknown;
  readonly text: string;
  /** `file:line:column`. */
  readonly place: (path: Path) => string;
  /** The first and the last line of what stands there. */
  readonly lines: (path: Path) => readonly [first: number, last: number];
  /** `file:line:column: what`, for the place itself or, with `atName`, for the name of the member. */
  readonly problem: (path: Path, what: string, atName?: boolean) => string;
}

/** One mistake in YAML makes many errors after it. */
const SHOWN_ERRORS = 20;

/** Reads plain YAML: one document, without anchors, aliases and tags. Throws a `DataError` for anything else. */
export function yamlFile(file: string, shownAs: string): YamlFile {
  const lines = new LineCounter();
  const text = textOf(file, shownAs);
  const document = parseDocument(text, { lineCounter: lines });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${shownAs}:${line}:${col}`;
  };
  const problems = document.errors
    .slice(0, SHOWN_ERRORS)
    .map(
      ({ pos, message }) => `${at(pos[0])}: ${message.split('\n')[0]?.replace(/ at line .*/, '')}`,
    );
  visit(document, {
    Alias: (_, { range }) => void problems.push(`${at(range?.[0] ?? 0)}: an alias; write it out`),
    Node: (_, node) => {
      const { anchor, tag, range } = node as Node & { anchor?: string; tag?: string };
      if (anchor !== undefined) {
        problems.push(`${at(range?.[0] ?? 0)}: an anchor; write the value out where it is needed`);
      }
      if (tag !== undefined && !tag.startsWith('tag:yaml.org,2002:')) {
        problems.push(`${at(range?.[0] ?? 0)}: the tag ${tag}; plain YAML has none`);
      }
    },
  });
  if (problems.length > 0) throw new DataError(problems);

  const rangeOf = (path: Path): readonly number[] =>
    (document.getIn(path, true) as Node | undefined)?.range ?? [0, 0];
  return {
    data: document.toJS(),
    text,
    place: (path) => at(rangeOf(path)[0] ?? 0),
    lines(path) {
      const [start = 0, end = 0] = rangeOf(path);
      const last = start + text.slice(start, end).trimEnd().length;
      return [lines.linePos(start).line, lines.linePos(last).line];
    },
    problem(path, what, atName = false) {
      const parent = document.getIn(path.slice(0, -1), true);
      const pair = isMap(parent)
        ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))
        : undefined;
      const name = atName && isScalar(pair?.key) ? pair.key : undefined;
      const node = name ?? (document.getIn(path, true) as Node | undefined) ?? document.contents;
      return `${at(node?.range?.[0] ?? 0)}: ${path.join('/') || 'the file'} ${what}`;
    },
  };
}

function textOf(file: string, shownAs: string): string {
  try {
    return textOfFile(file, LARGEST.yaml);
  } catch (error) {
    throw new DataError([`${shownAs}:1:1: the file cannot be read: ${(error as Error).message}`]);
  }
}

/** The problems that a schema has with a part of a file. */
export function schemaProblems(
  file: YamlFile,
  validator: Validator,
  value: unknown,
  path: Path = [],
): readonly string[] {
  const faults = faultsOf(validator, value);
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

/** `oneOf` and `if` only repeat what a deeper fault says. */
function isEcho({ keyword }: SchemaFault): boolean {
  return keyword === 'oneOf' || keyword === 'if';
}
