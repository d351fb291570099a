/**
 * Code of the reference and of the adapters, found by its name.
 *
 * @module
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileGlob } from '../../harness/engine/select.ts';
import type { Rule } from '../../harness/engine/vector.ts';
import { packagePath } from '../../harness/suite/package-root.ts';
import { isListOf, isOptional, isShapeOf, isText } from '../../reference/values.ts';
import { readSiteFile } from './site-file.ts';

export type Language = 'typescript' | 'python' | 'go' | 'java';

export interface Code {
  readonly language: Language;
  /** The file, relative to the package. */
  readonly path: string;
  /** The number of its first line. */
  readonly line: number;
  readonly text: string;
}

/** The code that follows a rule, in every language that has it. */
export type FindCode = (rule: string) => readonly Code[];

export const LANGUAGES: readonly (readonly [id: Language, name: string])[] = [
  ['typescript', 'TypeScript'],
  ['python', 'Python'],
  ['go', 'Go'],
  ['java', 'Java'],
];

type Row = { readonly rules: readonly string[] } & {
  readonly [Name in Language]?: readonly string[] | undefined;
};

const TABLE = 'site/code.yaml';

const isNames = isOptional(isListOf(isText));
const isRow = isShapeOf<Row>({
  rules: isListOf(isText),
  typescript: isNames,
  python: isNames,
  go: isNames,
  java: isNames,
});

/** How a language defines a name. */
interface Grammar {
  readonly folder: string;
  readonly extension: string;
  /** Whether the part of a name before a dot is a file. */
  readonly namesFiles: boolean;
  readonly starts: (name: string) => readonly RegExp[];
  /** Whether a line above the definition is its comment. */
  readonly comments: RegExp;
}

const GRAMMARS: Readonly<Record<Language, Grammar>> = {
  typescript: {
    folder: 'reference/signing',
    extension: '.ts',
    namesFiles: true,
    starts: (name) => [new RegExp(`^(?:export )?(?:const|function) ${name}\\b`)],
    comments: /^(?:\/\*\*| \*)/,
  },
  python: {
    folder: 'adapters/python',
    extension: '.py',
    namesFiles: false,
    starts: (name) => [new RegExp(`^(?:def ${name}\\(|${name} = )`)],
    comments: /^#(?! ---)/,
  },
  go: {
    folder: 'adapters/go',
    extension: '.go',
    namesFiles: false,
    starts: (name) => {
      const [type, method] = name.split('.');
      return method === undefined
        ? [new RegExp(`^(?:func ${name}\\(|(?:var|const) ${name} )|^\t${name} += `)]
        : [new RegExp(`^func \\(\\w+ \\*?${type}\\) ${method}\\(`)];
    },
    comments: /^\t?\/\//,
  },
  java: {
    folder: 'adapters/java',
    extension: '.java',
    namesFiles: true,
    starts: (name) => [
      new RegExp(`^    (?:[A-Za-z][\\w<>\\[\\], .]* )?${name}\\([^;]*$`),
      new RegExp(`^    (?:static |private |final )+[\\w<>]+ ${name} =`),
    ],
    comments: /^ {4}(?:\/\*\*| \*|@)/,
  },
};

/** Reads all code once. Throws for a name without code. */
export function createCodeIndex(rules: readonly Rule[]): FindCode {
  const rows = readSiteFile(TABLE, isListOf(isRow));
  const sources = new Map(
    LANGUAGES.map(([language]) => [language, readSources(GRAMMARS[language])] as const),
  );
  const found = rows.map((row) =>
    LANGUAGES.flatMap(([language]) =>
      (row[language] ?? []).map((name) =>
        findDefinition(language, name, sources.get(language) ?? []),
      ),
    ),
  );
  const patterns = rows.map((row) => row.rules.map((glob) => [glob, compileGlob(glob)] as const));
  for (const [glob, regex] of patterns.flat()) {
    if (!rules.some(({ id }) => regex.test(id)))
      throw new Error(`${TABLE}: no rule matches ${glob}`);
  }
  return (rule) => {
    const row = patterns.findIndex((own) => own.some(([, regex]) => regex.test(rule)));
    return found[row] ?? [];
  };
}

interface Source {
  readonly name: string;
  readonly path: string;
  readonly lines: readonly string[];
}

function readSources({ folder, extension }: Grammar): readonly Source[] {
  return readdirSync(packagePath(folder))
    .filter((name) => name.endsWith(extension))
    .map((name) => {
      const path = join(folder, name);
      const lines = readFileSync(packagePath(path), 'utf8').split('\n');
      return { name: name.slice(0, -extension.length), path, lines };
    });
}

function findDefinition(language: Language, name: string, sources: readonly Source[]): Code {
  const grammar = GRAMMARS[language];
  const [file = '', own] = grammar.namesFiles ? name.split('.') : [];
  const candidates = sources.filter((source) => own === undefined || source.name === file);
  const starts = grammar.starts(own ?? name);
  for (const { path, lines } of candidates) {
    const at = lines.findIndex((line) => starts.some((start) => start.test(line)));
    if (at < 0) continue;
    const [first, last] = findBounds(lines, at, grammar);
    return { language, path, line: first + 1, text: dedent(lines.slice(first, last)) };
  }
  throw new Error(`${TABLE}: ${grammar.folder} defines no ${name}`);
}

/** The first line of a definition, including its comment, and the line after its last line. */
function findBounds(
  lines: readonly string[],
  at: number,
  { comments }: Grammar,
): readonly [first: number, after: number] {
  let first = at;
  while (first > 0 && comments.test(lines[first - 1] ?? '')) first -= 1;
  const indent = indentOf(lines[at] ?? '');
  for (let after = at + 1; after < lines.length; after += 1) {
    const line = lines[after] ?? '';
    if (line === '' || indentOf(line) > indent) continue;
    const isClosing = indentOf(line) === indent && /^\s*[)}\]`]/.test(line);
    if (!isClosing) return [first, trimmed(lines, after)];
    if (!/[{([]$/.test(line)) return [first, after + 1];
  }
  return [first, trimmed(lines, lines.length)];
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** The line after the last one that is not blank. */
function trimmed(lines: readonly string[], after: number): number {
  let end = after;
  while (lines[end - 1]?.trim() === '') end -= 1;
  return end;
}

function dedent(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map(indentOf);
  const least = Math.min(...indents);
  return lines.map((line) => line.slice(least)).join('\n');
}
