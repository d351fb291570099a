/**
 * Measures the source: sizes, cycles, long functions, casts, values of the type any, and the imports between its parts.
 *
 * `npm run house` prints the measures. `--write` also updates the diagram in docs/architecture.md; `--check` fails if the
 * diagram is stale, if files import each other in a cycle, types included, or if a file away from the edge has a cast or
 * a value of the type any.
 *
 * @module
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import {
  isAsExpression,
  isAwaitExpression,
  isBindingElement,
  isCallExpression,
  isExpressionStatement,
  isIdentifier,
  isParameterDeclaration,
  isTypeAssertion,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is';
import { API, type Checker, type Type, TypeFlags } from 'typescript/unstable/sync';
import { packagePath } from '../harness/suite/package-root.ts';

const PAGE = 'docs/architecture.md';
const TOP = ['harness', 'reference', 'adapters/reference', 'scripts', 'bench', 'test'];

/** The layers from the top down, with the layers that each may import. A file belongs to the first matching folder. */
const LAYERS: readonly Layer[] = [
  {
    name: 'cli',
    folder: 'harness/cli',
    imports: ['render', 'respondents', 'make', 'suite', 'engine', 'server', 'mistakes', 'signing'],
  },
  { name: 'render', folder: 'harness/render', imports: ['engine', 'mistakes', 'signing'] },
  {
    name: 'respondents',
    folder: 'harness/respondents',
    imports: ['suite', 'engine', 'server', 'mistakes', 'signing'],
  },
  { name: 'make', folder: 'harness/make', imports: ['suite', 'engine', 'mistakes', 'signing'] },
  { name: 'suite', folder: 'harness/suite', imports: ['engine', 'mistakes', 'signing'] },
  { name: 'engine', folder: 'harness/engine', imports: ['mistakes', 'signing'] },
  { name: 'server', folder: 'reference/server', imports: ['signing'] },
  { name: 'mistakes', folder: 'reference/mistakes', imports: ['signing'] },
  { name: 'signing', folder: 'reference', imports: [] },
];

/** The edge of what TypeScript can check, with the reason of each file. No other file may have a cast or a value of the type any. */
const EDGE: Readonly<Record<string, string>> = {
  'harness/suite/package-data.ts':
    'a check of the data of the package at every start would take longer than reading it',
  'reference/mistakes/changes/change.ts': 'the result of Object.create has the type any',
  'reference/answers.ts':
    'the operation of an input is known only at run time; schemas check the input',
  'reference/server/store/records.ts':
    'the name of a record decides its type; its checksum covers the name',
  'reference/signing/types.ts': 'only a cast applies a brand',
};

interface Layer {
  readonly name: string;
  readonly folder: string;
  readonly imports: readonly string[];
}

interface Source {
  /** Relative to the package, with slashes. */
  readonly path: string;
  readonly lines: readonly string[];
  /** Paths of imported files; type imports and dynamic imports count. */
  readonly imports: readonly string[];
}

const root = packagePath('.');

function readSources(): readonly Source[] {
  const files = TOP.flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map((name) => posix.join(top, name.split(sep).join('/'))),
  );
  const known = new Set(files);
  return files.sort().map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const targets = [...text.matchAll(/(?:from|import\(|import)\s*'(\.[^']+)'/g)].map(
      ([, target = '']) => posix.normalize(posix.join(posix.dirname(path), target)),
    );
    const imports = [...new Set(targets)].filter((target) => known.has(target));
    return { path, lines: text.split('\n'), imports };
  });
}

/** Groups of nodes that import each other in a cycle (Tarjan's algorithm). */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: (readonly string[])[] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    low.set(node, order.size - 1);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) {
        low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0));
      }
    }
    if (low.get(node) !== order.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1) found.push(group.sort());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return found;
}

function createImportGraph(
  sources: readonly Source[],
  nameOf: (path: string) => string,
): ReadonlyMap<string, readonly string[]> {
  const graph = new Map<string, readonly string[]>();
  for (const { path, imports } of sources) {
    const name = nameOf(path);
    const others = imports.map(nameOf).filter((other) => other !== name);
    graph.set(name, [...new Set([...(graph.get(name) ?? []), ...others])]);
  }
  return graph;
}

/** All files that a file imports, directly or not. */
function findReached(
  start: string,
  graph: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const seen = new Set([start]);
  for (const node of seen) for (const next of graph.get(node) ?? []) seen.add(next);
  return [...seen];
}

const FUNCTION = /^(\s*)(?:export )?(?:async )?(?:function\b|(?:const|readonly|#?\w+)[^;]*\{$)/;

/** Functions of more than 30 lines. In formatted code, a function ends at the indentation of its start. */
function findLongFunctions({ path, lines }: Source): readonly string[] {
  return lines.flatMap((line, at) => {
    const [, indent] = FUNCTION.exec(line) ?? [];
    const isFunction = /function\b|=>|\)[^=]*\{$/.test(line);
    if (indent === undefined || !isFunction || !/[{(]$/.test(line)) return [];
    const length = lines.slice(at + 1).findIndex((next) => next.startsWith(`${indent}}`));
    return length > 30 ? [`${path}:${at + 1} (${length})`] : [];
  });
}

/** A place that TypeScript does not check. */
interface Unchecked {
  readonly path: string;
  readonly start: number;
  readonly line: number;
  readonly what: 'cast' | 'any';
  readonly text: string;
}

/** Every cast and every value of the type any, in files that are no tests. */
function findUnchecked(): readonly Unchecked[] {
  const api = new API({ cwd: root });
  try {
    const openProjects = ['tsconfig.json', 'site/playground/tsconfig.json'];
    const projects = api
      .updateSnapshot({ openProjects: openProjects.map((name) => join(root, name)) })
      .getProjects();
    const found = projects.flatMap(({ program, checker }) =>
      program.getSourceFileNames().flatMap((name) => {
        const path = relative(root, name).split(sep).join('/');
        if (/^(?:\.\.|node_modules|dist|test)\//.test(path)) return [];
        const file = program.getSourceFile(name);
        return file ? findUncheckedIn(file, path, checker) : [];
      }),
    );
    // Both projects contain the files that the site imports.
    const byPlace = found.map((one) => [`${one.path}:${one.start}:${one.what}`, one] as const);
    return [...new Map(byPlace).values()];
  } finally {
    api.close();
  }
}

function findUncheckedIn(file: SourceFile, path: string, checker: Checker): readonly Unchecked[] {
  const casts: Node[] = [];
  const typed: Node[] = [];
  const visit = (node: Node): void => {
    if (isCast(node, file)) casts.push(node);
    if (isDeclaredName(node) || isCallExpression(node) || isAwaitExpression(node)) typed.push(node);
    node.forEachChild(visit);
  };
  visit(file);
  const types = typed.length === 0 ? [] : checker.getTypeAtLocation(typed);
  const anys = typed.filter(
    (node, at) => hasFlag(types[at], TypeFlags.Any) && !isTakenAsUnknown(node, checker),
  );
  const toUnchecked = (node: Node, what: Unchecked['what']): Unchecked => {
    const start = node.getStart(file);
    const line = file.text.slice(0, start).split('\n').length;
    return { path, start, line, what, text: node.getText(file).replace(/\s+/g, ' ') };
  };
  return [
    ...casts.map((node) => toUnchecked(node, 'cast')),
    ...anys.map((node) => toUnchecked(node, 'any')),
  ];
}

/** Every `as` and `<T>`, but `as const`. */
function isCast(node: Node, file: SourceFile): boolean {
  return (isAsExpression(node) || isTypeAssertion(node)) && node.type.getText(file) !== 'const';
}

/** Whether a node declares a variable or a parameter by its name, not by a pattern. */
function isDeclaredName(node: Node): boolean {
  const isDeclaration =
    isVariableDeclaration(node) || isBindingElement(node) || isParameterDeclaration(node);
  return isDeclaration && node.name !== undefined && isIdentifier(node.name);
}

/** Whether the value of an expression is dropped, or taken by something that accepts any value. */
function isTakenAsUnknown(node: Node, checker: Checker): boolean {
  if (!isCallExpression(node) && !isAwaitExpression(node)) return false;
  if (isExpressionStatement(node.parent)) return true;
  return hasFlag(checker.getContextualType(node), TypeFlags.AnyOrUnknown);
}

function hasFlag(type: Type | undefined, flag: TypeFlags): boolean {
  return type !== undefined && (type.flags & flag) !== 0;
}

function findLayer(path: string): Layer {
  const found = LAYERS.find(({ folder }) => path.startsWith(`${folder}/`));
  if (!found) throw new Error(`${path} is in no layer`);
  return found;
}

/** Imports that the layers forbid. Type imports count. */
function findFaults(sources: readonly Source[]): readonly string[] {
  return sources.flatMap(({ path, imports }) => {
    const { name, imports: allowed } = findLayer(path);
    const isFault = (target: string): boolean =>
      ![name, ...allowed].includes(findLayer(target).name);
    return imports.filter(isFault).map((target) => `${path} imports ${target}`);
  });
}

/** The number of imports between layers, as a diagram. */
function drawDiagram(sources: readonly Source[]): string {
  const all = sources.flatMap(({ path, imports }) =>
    imports.map((target) => [findLayer(path).name, findLayer(target).name] as const),
  );
  const arrows = LAYERS.flatMap(({ name, imports }) =>
    imports.flatMap((target) => {
      const own = all.filter(([from, to]) => from === name && to === target);
      return own.length === 0 ? [] : `  ${name} -- ${own.length} --> ${target}`;
    }),
  );
  return ['```mermaid', 'flowchart TD', ...arrows, '```'].join('\n');
}

const BLOCK = /```mermaid[\s\S]*?```/;

function formatSizes(sources: readonly Source[]): readonly string[] {
  const folders = [
    'reference/signing',
    'reference/mistakes',
    'reference/server',
    'harness',
    'test',
  ];
  return folders.map((folder) => {
    const own = sources.filter(({ path }) => path.startsWith(`${folder}/`));
    const lines = own.reduce((sum, source) => sum + source.lines.length - 1, 0);
    return `${folder.padEnd(20)} ${String(lines).padStart(6)} lines in ${own.length} files`;
  });
}

const sources = readSources();
const code = sources.filter(({ path }) => /^(?:harness|reference)\//.test(path));
const files = createImportGraph(code, (path) => path);
const reached = findReached('harness/cli/run.ts', files);
const long = code.flatMap(findLongFunctions);
const folders = createImportGraph(code, dirname);

console.log(formatSizes(sources).join('\n'));
console.log(
  `run imports, directly or not: ${reached.length} modules in ${new Set(reached.map(dirname)).size} folders`,
);
console.log(`functions over 30 lines: ${long.length}\n  ${long.join('\n  ')}`);
for (const fault of findFaults(code)) console.log(`wrong direction: ${fault}`);
const cycles = [
  ...findCycles(files).map((group) => `cycle of files: ${group.join(', ')}`),
  ...findCycles(folders).map((group) => `cycle of folders: ${group.join(', ')}`),
];
for (const cycle of cycles) console.log(cycle);
const unchecked = findUnchecked();
const describeUnchecked = ({ path, line, what, text }: Unchecked): string =>
  `${path}:${line}: ${what}: ${text}`;
console.log(`casts and values of the type any: ${unchecked.length}`);
for (const one of unchecked) console.log(`  ${describeUnchecked(one)}`);

const [option, ...others] = process.argv.slice(2);
if (others.length > 0 || (option !== undefined && option !== '--write' && option !== '--check')) {
  console.error('usage: npm run house [-- --write | --check]');
  process.exit(2);
}

const page = readFileSync(join(root, PAGE), 'utf8');
const drawn = page.replace(BLOCK, () => drawDiagram(code));
if (option === '--write') writeFileSync(join(root, PAGE), drawn);
else if (option === '--check') {
  if (drawn !== page)
    fail(`the diagram in ${relative('.', PAGE)} is stale; run npm run house -- --write`);
  for (const fault of findFaults(code)) fail(`${fault}, which is not below it`);
  for (const cycle of cycles) fail(cycle);
  for (const one of unchecked.filter(({ path }) => EDGE[path] === undefined)) {
    fail(`${describeUnchecked(one)}; check the value with a guard of reference/values.ts`);
  }
  const isNeedless = (path: string): boolean => unchecked.every((one) => one.path !== path);
  for (const path of Object.keys(EDGE).filter(isNeedless)) {
    fail(`${path} has no cast; remove it from EDGE in scripts/house.ts`);
  }
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
