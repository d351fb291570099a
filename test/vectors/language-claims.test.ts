/**
 * Checks that the claims of this project's texts about languages are true, and none is left out.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { isInstalled, notFoundMessage } from '../../dist/harness/respondents/adapter/manifest.js';
import { readSuite } from '../../dist/harness/suite/suite-folder.js';
import { MISTAKES } from '../../dist/reference/mistakes/index.js';
import type { Suite } from '../../harness/engine/vector.ts';
import type { Change, Kind } from '../../reference/mistakes/changes/change.ts';
import { RUNS } from '../amount.ts';
import { LANGUAGES, outputs, withText } from './languages.ts';

interface Claim {
  readonly at: readonly string[];
  readonly run?: string;
  readonly of?: readonly string[];
  readonly prints?: string;
  readonly because?: string;
}

const CLAIMS: Readonly<Record<string, readonly Claim[]>> = parse(
  readFileSync('test/vectors/language-claims.yaml', 'utf8'),
  // Keep numbers as they are written.
  { schema: 'failsafe' },
);

/** How a text names a language, or a function that only this language has. */
const NAMES: Readonly<Record<string, RegExp>> = {
  JavaScript: /\b(?:JavaScript|Node|encodeURI\w*|(?<!\.)parseInt|URLSearchParams|btoa)\b/,
  Python: /\b(?:Python(?! 2)|quote_plus)\b/,
  'Python 2': /\bPython 2\b/,
  Go: /\bGo\b/,
  Java: /\b(?:Java|BigDecimal)\b/,
  PHP: /\b(?:PHP|http_build_query|json_encode)\b/,
  Ruby: /\bRuby\b/,
  Perl: /\bPerl\b/,
  C: /(?<![\w"'/:\\])(?<!form )C(?![\w"#+:/\\])|\b(?:strtol|isspace|strlen)\b/,
  Bash: /\bBash\b/,
  Rust: /\bRust\b/,
  '.NET': /\.NET\b/,
  Others:
    /\b(?:Dart|Lua|Swift|Kotlin|Scala|Elixir|OpenResty|OpenSSL|jQuery|axios|Angular\w*|Gson|Erlang|Delphi|cJSON|jq|OkHttp)\b/,
};

type Apply = (given: unknown) => unknown;

const MISTAKES_FOLDER = 'dist/reference/mistakes';
const sources = ['changes', 'single-step'].flatMap((folder) =>
  readdirSync(join(MISTAKES_FOLDER, folder))
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(folder, name)),
);
const modules = await Promise.all(
  sources.map((name) => import(/* @vite-ignore */ pathToFileURL(join(MISTAKES_FOLDER, name)).href)),
);
const kinds = modules.flatMap((module) =>
  Object.entries(module).filter(([, value]) => Array.isArray((value as Kind<Apply>)?.changes)),
) as [string, Kind<Apply>][];

/** "is written as Go does, if it has a fraction" claims the same as "is written as Go does". */
function claimedAt(kind: string, [id, clause]: Change<Apply>): string {
  const scope = /, (?:if|unless) /.test(clause) ? /-[a-z]+$/ : /$/;
  return `changes/${kind}/${id.replace(scope, '')}`;
}

const named = kinds
  .flatMap(([kind, { changes, fix }]) =>
    changes.map((row) => ({ at: claimedAt(kind, row), kind, row, fix: row[3]?.fix ?? fix })),
  )
  .filter(({ row: [, clause], fix }) =>
    Object.values(NAMES).some((name) => name.test(`${clause}; ${fix}`)),
  );

/** The changes that name a language, except those that repeat the clause of another change. */
const changes = named.filter(
  ({ row: [, clause] }, at) =>
    !named.some(({ row: [, other] }, i) => clause.includes(other) && (other !== clause || i < at)),
);

const { vectors, rules }: Suite = readSuite('vectors');

/** Every text in a value. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

const evidence = parse(readFileSync('site/spec.yaml', 'utf8'));

/** Every text that may claim something about a language, by the place where it is. */
const TEXTS: readonly (readonly [at: string, text: string])[] = [
  ...vectors.flatMap(({ id, why, accept }): [string, string][] => [
    [id, why ?? ''],
    ...Object.values(accept ?? {}).map(({ because }): [string, string] => [id, `${because}`]),
  ]),
  ...MISTAKES.map(({ id, wrong, fix }): [string, string] => [`mistakes/${id}`, `${wrong}; ${fix}`]),
  ...changes.map(({ at, row: [, clause], fix }): [string, string] => [at, `${clause}; ${fix}`]),
  ...rules.map((rule): [string, string] => [`rules/${rule.id}`, textsOf(rule).join('; ')]),
  ...textsOf(evidence).map((text): [string, string] => ['site/spec.yaml', text]),
];

/** The parts of a text that are about languages; what a published SDK does is for seen.test.ts. */
function claimingParts(text: string): readonly string[] {
  return text.split(/; |\. /).filter((part) => !/\bSDKs?\b/.test(part));
}

/** The languages that a text makes a claim about. */
function languagesIn(text: string): readonly string[] {
  const parts = claimingParts(text);
  return Object.keys(NAMES).filter((name) => parts.some((part) => NAMES[name]?.test(part)));
}

const claimed = new Set(
  Object.entries(CLAIMS).flatMap(([language, claims]) =>
    claims.flatMap(({ at }) => at.map((place) => `${language}: ${place}`)),
  ),
);
const needed = new Set(
  TEXTS.flatMap(([at, text]) => languagesIn(text).map((language) => `${language}: ${at}`)),
);

test('every text that names a language has a claim about it', () => {
  expect([...needed].filter((place) => !claimed.has(place))).toEqual([]);
  expect(needed.size).toBeGreaterThan(200);
});

test('every claim belongs to a text that names its language', () => {
  expect([...claimed].filter((place) => !needed.has(place))).toEqual([]);
});

test('every claim either runs or says why not', () => {
  const unclear = Object.values(CLAIMS)
    .flat()
    .filter(({ run, of, prints, because }) =>
      run === undefined ? because === undefined : (of === undefined) === (prints === undefined),
    );
  expect(unclear).toEqual([]);
});

const fromHex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** The text after a change, as a language would print it. */
function changed(kind: string, apply: Apply, text: string): string {
  if (kind === 'BYTES_TEXTS') return `${apply(fromHex(text))}`;
  if (kind === 'CHARSETS') return toHex(apply(text) as Uint8Array);
  if (kind !== 'ORDERS') return `${apply(text)}`;
  const ordered = apply(text.split(',').map((name) => [name, ''])) as readonly [string][];
  return ordered.map(([name]) => name).join();
}

/** The runs of a claim: an expression, and what it must print by the claim or by each change. */
function runsOf(name: string, { at, run = '', of, prints }: Claim) {
  const language = LANGUAGES[name];
  if (!language) throw new Error(`no program runs ${name}`);
  if (of === undefined) return [{ expression: run, expected: [prints ?? ''] }];
  // Of the same change for all numbers, for floats and for fractions, the first is the widest.
  const rows = at.flatMap((place) => changes.find((change) => change.at === place) ?? []);
  return of.map((text) => ({
    expression: withText(language, run, text),
    expected: rows.map(({ kind, row: [, , apply] }) => changed(kind, apply, text)),
  }));
}

/** Languages whose compiler takes more than ten seconds of processor time at first. */
const SLOW: ReadonlySet<string> = new Set(['Go', 'Java']);

describe('each language behaves as the texts claim', () => {
  for (const [name, claims] of Object.entries(CLAIMS)) {
    for (const { because, at } of claims.filter((claim) => claim.because !== undefined)) {
      test.skip(`${name}: not run, because ${because}: ${at.join(', ')}`, () => {});
    }
    const running = claims.filter(({ run }) => run !== undefined);
    if (running.length === 0) continue;
    test(`${name}: ${running.length} claims`, ({ skip }) => {
      const language = LANGUAGES[name];
      if (!language) throw new Error(`no program runs ${name}`);
      const [[program = ''] = []] = language.commands;
      skip(SLOW.has(name) && RUNS === 1, 'its compiler takes long: SVC_TEST_RUNS=2 runs it');
      if (!isInstalled(program, '.')) skip(`not run, because ${notFoundMessage(program)}`);
      const runs = running.flatMap((claim) => runsOf(name, claim));
      const printed = outputs(
        language,
        runs.map(({ expression }) => expression),
      );
      expect(printed).toHaveLength(runs.length);
      const wrong = runs.flatMap(({ expression, expected }, i) =>
        expected.length > 0 && expected.every((text) => text === printed[i])
          ? []
          : [{ expression, claimed: expected, printed: printed[i] }],
      );
      expect(wrong).toEqual([]);
    });
  }
});
