// biome-ignore-all lint/suspicious/noTemplateCurlyInString: MADE quotes source text
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { analyse } from 'scslre';
import { expect, test } from 'vitest';
import { someOf } from '../amount.ts';

/** Sources whose expressions may see text from outside: requests, answers, files, command lines. */
const FOLDERS = ['reference', 'harness'];

/** Expressions that read what this project's authors wrote, and nothing from outside. */
const OF_AUTHORS: readonly string[] = [
  // `vectors fill` on the vector files.
  String(/(?<=^\s*(?:- )*|[[{,:] ?)"(?:[^"\\]|\\.)*"/gm),
];

/** Expressions that are built from names of this project or the command line, not of messages. */
const MADE: readonly string[] = [
  'harness/make/fuzz/malformed.ts new RegExp(`"${name}":"[^"]*",?`)',
  'harness/make/fuzz/malformed.ts new RegExp(`([?&]${dialect.publicKeyParameter}=[^&]*)`)',
  'harness/make/fuzz/malformed.ts new RegExp(`(^|[?&])${name}=[^&]*(?:&|$)`)',
  "harness/make/probe/relocation.ts new RegExp(`(${forms.join('')}|${plain(key.toUpperCase())})`)",
  "harness/make/rederive/substitution.ts new RegExp( `(?<policy>(?:eyJ|WyJ|W3si)[0-9A-Za-z+/_-]+=*)|(?<fixed>${FIXED})|(?<word>[0-9A-Za-z]+)`, 'gu', )",
  "harness/engine/select.ts new RegExp(`^${source.replace(/\\/$/, '')}(?:/.*)?$`)",
  "reference/mistakes/changes/bytes.ts new RegExp(`[^ -~]|[\\\\\\\\${quote}]`, 'g')",
  "reference/mistakes/changes/headers.ts new RegExp(FOLD, '')",
  "reference/mistakes/single-step/extra-headers.ts new RegExp(`^${prefix.replaceAll('-', '.')}`, 'i')",
  "reference/mistakes/single-step/media-type-of-go.ts new RegExp(`${GAP};${GAP}(${TOKEN})${GAP}=${GAP}(?:(${TOKEN})|${QUOTED})`, 'y')",
  "reference/mistakes/changes/verifying.ts new RegExp(`(?:%${digits})+`, 'gi')",
];

interface Found {
  readonly where: string;
  readonly expression: RegExp;
}

function collectExpressions() {
  const literals: Found[] = [];
  const calls: string[] = [];
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map((name) => join(folder, name).replaceAll('\\', '/')),
  );
  for (const path of paths.toSorted()) {
    const text = readFileSync(path, 'utf8');
    visit(parseAst(text, { lang: 'ts' }), (node) => {
      const where = `${path}:${text.slice(0, node.start).split('\n').length}`;
      if (node.regex) {
        const expression = new RegExp(node.regex.pattern, node.regex.flags);
        if (!OF_AUTHORS.includes(String(expression))) literals.push({ where, expression });
      }
      if (/^(?:New|Call)Expression$/.test(node.type) && node.callee?.name === 'RegExp') {
        calls.push(`${path} ${text.slice(node.start, node.end).replace(/\s+/g, ' ')}`);
      }
    });
  }
  return { literals, calls };
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly callee?: { readonly name?: string };
}

function visit(value: unknown, look: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (isNode(value)) look(value);
  for (const member of Object.values(value)) visit(member, look);
}

function isNode(value: object): value is Node {
  return 'type' in value && 'start' in value && typeof value.type === 'string';
}

/** Every regular expression literal, and every call that creates a regular expression. */
const { literals, calls } = collectExpressions();

test('the search finds the expressions of the sources', () => {
  expect(literals.length).toBeGreaterThan(300);
  expect(
    literals.filter(({ where }) => where.startsWith('reference/server/')).length,
  ).toBeGreaterThan(30);
});

test('the static analysis finds no expression that backtracks', () => {
  expect(isSuperLinear(/=+$/)).toBe(true);
  expect(isSuperLinear(/^a+ .*b.* c$/)).toBe(true);
  const found = literals.filter(({ expression }) => isSuperLinear(expression));
  expect(found.map(({ where, expression }) => `${where} ${expression}`)).toEqual([]);
});

function isSuperLinear(expression: RegExp): boolean {
  return analyse(expression, { maxReports: 1 }).reports.length > 0;
}

/** In bytes. */
const SIZE = 64 * 1024;

/** Of processor time, in milliseconds; a quadratic expression takes seconds for a text of this size. */
const MOST = 50;

test('an expression takes less than 50 ms for 64 KiB of a repeated short text', () => {
  expect(slowWords(/=+$/)).not.toEqual([]);
  expect(slowWords(/"(?:[^"\\]|\\.)*"/g)).not.toEqual([]);
  expect(slowWords(/\/\*.*?\*\//gs)).not.toEqual([]);
  const distinct = new Map(literals.map((found) => [String(found.expression), found]));
  const slow = someOf([...distinct.values()], 12).flatMap(({ where, expression }) =>
    slowWords(expression).map((word) => `${where} ${expression} ${JSON.stringify(word)}`),
  );
  expect(slow).toEqual([]);
}, 600_000);

/** The most words to repeat in a long text. On a busy machine, the slowest word of a short text is not always the first. */
const WORDS = 3;

/** The words whose repetition takes too long. Short texts show which words to repeat more often. */
function slowWords(expression: RegExp): readonly string[] {
  return words(expression)
    .map((word) => [word, time(expression, word, SIZE / 16)] as const)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, WORDS)
    .flatMap(([word]) => (isSlow(expression, word) ? [word] : []));
}

/** A text too slow for a quarter of the size is too slow for all of it, and fails sooner. */
function isSlow(expression: RegExp, word: string): boolean {
  // The fastest of several tries counts: other work of the machine slows the others down.
  const fastest = (size: number): number =>
    Math.min(...[1, 2, 3].map(() => time(expression, word, size)));
  return [SIZE / 4, SIZE].some(
    (size) => time(expression, word, size) > MOST && fastest(size) > MOST,
  );
}

/** One to three of the parts of an expression, one after the other. */
function words(expression: RegExp): readonly string[] {
  const parts = partsOf(expression);
  const few = parts.slice(0, 4);
  return [
    ...parts,
    ...parts.flatMap((first) => parts.map((second) => first + second)),
    ...few.flatMap((first) => few.flatMap((second) => few.map((third) => first + second + third))),
  ];
}

/** Texts that an expression looks for: its literal runs, their characters, and one of each class. */
function partsOf({ source }: RegExp): readonly string[] {
  const plain = source
    .replace(/\\([dwsDWS])/g, (_, name: string) => CLASSES[name] ?? '')
    .replace(/\\u\{?([0-9a-f]{1,6})\}?|\\x([0-9a-f]{2})/gi, (_, long, short) =>
      String.fromCodePoint(Number.parseInt(long ?? short, 16)),
    )
    .replace(/\\t/g, '\t')
    .replace(/\\n/g, '\n')
    .replace(/\\r/g, '\r');
  const runs = plain.match(/(?:\\.|[^\\^$.*+?()[\]{}|])+/g) ?? [];
  const texts = runs.map((run) => run.replace(/\\(.)/g, '$1'));
  return [...new Set([...texts, ...texts.flatMap((text) => [...text]), 'a', ' ', '0'])].slice(0, 9);
}

const CLASSES: Readonly<Record<string, string>> = {
  d: '0',
  w: 'a',
  s: ' ',
  D: 'a',
  W: ' ',
  S: 'a',
};

function time(expression: RegExp, word: string, size: number): number {
  const text = `${word.repeat(Math.ceil(size / word.length))}\u0000`;
  const own = new RegExp(expression.source, expression.flags);
  const { user } = process.cpuUsage();
  if (own.global) for (const _ of text.matchAll(own));
  else own.exec(text);
  return (process.cpuUsage().user - user) / 1000;
}

test('every expression that is built at run time is on the list of reviewed ones', () => {
  expect([...new Set(calls)].toSorted()).toEqual(MADE.toSorted());
});
