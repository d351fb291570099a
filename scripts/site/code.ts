/**
 * Code of the reference and of the adapters, found by its name.
 *
 * @module
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileGlob } from '../../harness/engine/select.ts';
import type { Rule } from '../../harness/engine/vector.ts';
import type { RuleCode } from '../../harness/suite/package-data.ts';
import { packagePath } from '../../harness/suite/package-root.ts';
import { isStepName } from '../../reference/mistakes/index.ts';
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

/** Finds the code that follows a rule, in every language that has it, or the code of a step. */
export type FindCode = (id: string) => readonly Code[];

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
  const sources = new Map(
    LANGUAGES.map(([language]) => [language, readSources(GRAMMARS[language])] as const),
  );
  const found = new Map<Row, readonly Code[]>();
  const findRow = createRowIndex(rules);
  for (const { id } of rules) {
    const row = findRow(id);
    if (!row || found.has(row)) continue;
    const codes = LANGUAGES.flatMap(([language]) =>
      (row[language] ?? []).map((name) =>
        findDefinition(language, name, sources.get(language) ?? []),
      ),
    );
    found.set(row, codes);
  }
  return (rule) => {
    const row = findRow(rule);
    return (row && found.get(row)) ?? [];
  };
}

/** The first row of the table for each rule. Throws for a glob that matches no rule. */
function createRowIndex(rules: readonly Rule[]): (rule: string) => Row | undefined {
  const rows = readSiteFile(TABLE, isListOf(isRow)).map(
    (row) => [row, row.rules.map(compileGlob)] as const,
  );
  for (const [row, patterns] of rows) {
    const unused = patterns.findIndex((regex) => !rules.some(({ id }) => regex.test(id)));
    if (unused >= 0) throw new Error(`${TABLE}: no rule matches ${row.rules[unused]}`);
  }
  return (rule) => rows.find(([, patterns]) => patterns.some((regex) => regex.test(rule)))?.[0];
}

/** The steps and the functions of the kit for Python that follow each rule. */
export function listRuleCode(rules: readonly Rule[]): RuleCode {
  const findRow = createRowIndex(rules);
  return Object.fromEntries(
    rules.map(({ id }) => {
      const { typescript = [], python = [] } = findRow(id) ?? {};
      const steps = typescript.map((name) => name.split('.').at(-1) ?? '').filter(isStepName);
      return [id, { steps, python }];
    }),
  );
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

/** Finds the code of a step of the reference; none for a step that is not a function of its own. */
export function createStepIndex(): FindCode {
  const sources = readSources(GRAMMARS.typescript);
  return (step) => [searchDefinition('typescript', step, sources) ?? []].flat();
}

function findDefinition(language: Language, name: string, sources: readonly Source[]): Code {
  const found = searchDefinition(language, name, sources);
  if (found) return found;
  throw new Error(`${TABLE}: ${GRAMMARS[language].folder} defines no ${name}`);
}

function searchDefinition(
  language: Language,
  name: string,
  sources: readonly Source[],
): Code | undefined {
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
  return undefined;
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
