/**
 * The results of the published SDKs: from JSON-lines reports, or from RESULTS.md, which `svc-conformance results` writes.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Level, Suite } from '../../harness/engine/vector.ts';
import {
  listRepositoryAdapters,
  MANIFEST,
  type Manifest,
} from '../../harness/respondents/adapter/manifest.ts';
import { readExpectations } from '../../harness/suite/expectations/file.ts';
import { packagePath } from '../../harness/suite/package-root.ts';

/** How many vectors of a rule an SDK passes and fails, and how many it has no way to answer. */
export interface RuleResult {
  readonly passed: number;
  readonly failed: number;
  readonly unsupported: number;
}

export interface SdkFailure {
  readonly id: string;
  readonly status: string;
  /** The first stage that differs, with both texts. */
  readonly difference?: {
    readonly stage: string;
    readonly expected: string;
    readonly actual: string;
  };
  readonly message?: string;
  readonly causes: readonly string[];
  /** What the known failures of the SDK say about it. */
  readonly reason?: string;
}

export interface Sdk {
  readonly name: string;
  readonly version: string;
  readonly language: string;
  readonly dialect: string;
  /** The adapter's folder, relative to the package. */
  readonly folder: string;
  /** The file that the results are from. */
  readonly source: string;
  /** The day of that file, `YYYY-MM-DD`, if it is known. */
  readonly date?: string;
  readonly counts: readonly (readonly [level: Level, text: string])[];
  readonly rules: ReadonlyMap<string, RuleResult>;
  readonly failures: readonly SdkFailure[];
  /** Open questions, with the answer met. */
  readonly met: readonly (readonly [id: string, answer: string])[];
  /** The operations of which it answers a vector. */
  readonly operations: readonly string[];
  /** How it is called, as the README of its adapter says. */
  readonly readme: string;
  /** The command that installs it. */
  readonly setup?: string;
}

const PAGE = 'RESULTS.md';

/** @param reports a folder of JSON-lines reports, each of which replaces what RESULTS.md says of its SDK */
export function readSdks(suite: Suite, reports: string | undefined): readonly Sdk[] {
  const page = readFileSync(packagePath(PAGE), 'utf8');
  const lines = reports === undefined ? new Map() : readReports(reports);
  return listRepositoryAdapters()
    .filter(({ published }) => published)
    .map((adapter) => {
      const { name, dialect, folder, expectations } = adapter;
      const report = lines.get(name);
      const known = {
        name,
        dialect,
        folder: relative(packagePath('.'), folder),
        readme: readFileSync(join(folder, 'README.md'), 'utf8'),
        ...readSetup(folder),
      };
      const results = report ? fromReport(report) : fromPage(page, name, suite);
      const failures = results.failures.map((failure) => withReason(failure, expectations));
      return { ...known, ...results, failures };
    });
}

type Results = Omit<Sdk, 'name' | 'dialect' | 'folder' | 'readme' | 'setup'>;

function readSetup(folder: string): Pick<Manifest, 'setup'> {
  const { setup }: Manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8'));
  return setup === undefined ? {} : { setup };
}

function withReason(failure: SdkFailure, path: string | undefined): SdkFailure {
  if (path === undefined || failure.reason !== undefined) return failure;
  const entry = knownEntries(path).find(
    ({ status, patterns, causes = [] }) =>
      status === failure.status &&
      causes.join() === failure.causes.join() &&
      patterns.some(({ matches }) => matches.test(failure.id)),
  );
  return entry === undefined ? failure : { ...failure, reason: entry.reason };
}

const read = new Map<string, ReturnType<typeof readExpectations>['entries']>();

function knownEntries(path: string): ReturnType<typeof readExpectations>['entries'] {
  const entries = read.get(path) ?? readExpectations(path, true).entries;
  read.set(path, entries);
  return entries;
}

// --- RESULTS.md

const LEVEL_COLUMN = 4;

function fromPage(page: string, name: string, suite: Suite): Results {
  const [start = '', rules = ''] = page.split('\n## ');
  const summary = tableRows(start).filter(([own]) => own === name);
  const [, version = '', language = ''] = summary[0] ?? [];
  const own = page.split(`\n## ${name}\n`)[1]?.split('\n## ')[0] ?? '';
  const results = ruleResults(rules, name);
  const failures = pageFailures(own);
  return {
    version,
    language,
    source: PAGE,
    ...dated(PAGE),
    counts: summary.map((row) => [row[LEVEL_COLUMN] as Level, row[LEVEL_COLUMN + 1] ?? '']),
    rules: results,
    failures,
    met: pageAnswers(own),
    operations: answeredOperations(suite, results),
  };
}

/** The cells of all rows of the tables in a text. */
function tableRows(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '));
}

function ruleResults(text: string, name: string): ReadonlyMap<string, RuleResult> {
  const [heading = [], ...rows] = tableRows(text);
  const column = heading.indexOf(name);
  return new Map(
    rows.flatMap((row): [string, RuleResult][] => {
      const [passed, failed, unsupported] = (row[column] ?? '').split(' / ').map(Number);
      if (passed === undefined || failed === undefined || unsupported === undefined) return [];
      return [[row[0] ?? '', { passed, failed, unsupported }]];
    }),
  );
}

function pageFailures(text: string): readonly SdkFailure[] {
  const block = /```text\n([\s\S]*?)\n```/.exec(text)?.[1] ?? '';
  return block.split('\n\n').flatMap((lines) => {
    const [first = '', ...rest] = lines.split('\n');
    const [status, id] = first.split('  ');
    if (status === undefined || id === undefined) return [];
    return [{ id, status, ...pageDetails(rest) }];
  });
}

/** The lines below the id of a failure: a difference or a message, the causes, the rule. */
function pageDetails(lines: readonly string[]): Omit<SdkFailure, 'id' | 'status'> {
  const after = (start: string): string | undefined =>
    lines.find((line) => line.startsWith(`  ${start} `))?.slice(start.length + 3);
  const cause = after('cause') ?? '';
  const [stage = ''] = lines;
  const expected = after('expected');
  const actual = after('actual')?.trimStart();
  return {
    ...(expected !== undefined && actual !== undefined
      ? { difference: { stage: stage.trim(), expected, actual } }
      : { message: stage.trim() }),
    ...(/ .* /.test(cause.replaceAll(' and ', ''))
      ? { causes: [], reason: cause }
      : { causes: cause.split(' and ').filter((one) => one !== '') }),
  };
}

function pageAnswers(text: string): readonly (readonly [id: string, answer: string])[] {
  const [, list = ''] = text.split('Open questions, and the answer met:');
  return list
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(2, colon), line.slice(colon + 2)];
    });
}

/** RESULTS.md counts by rules: an operation is answered if all rules of one of its vectors have results. */
function answeredOperations(
  { vectors }: Suite,
  rules: ReadonlyMap<string, RuleResult>,
): readonly string[] {
  const answered = vectors.filter((vector) => vector.rules.every((rule) => rules.has(rule)));
  return [...new Set(answered.map(({ operation }) => operation))];
}

/** The day of the last commit of a file, if the package is a clone. */
function dated(path: string): { readonly date?: string } {
  if (!existsSync(packagePath('.git'))) return {};
  const args = ['log', '-1', '--format=%cs', '--', path];
  try {
    const date = execFileSync('git', args, { cwd: packagePath('.'), encoding: 'utf8' }).trim();
    return date === '' ? {} : { date };
  } catch {
    return {};
  }
}

// --- JSON-lines reports

type Line = Readonly<Record<string, unknown>>;

interface Report {
  readonly file: string;
  readonly date: string;
  readonly lines: readonly Line[];
}

/** The lines about each adapter, by its name. */
function readReports(folder: string): ReadonlyMap<string, Report> {
  const reports = new Map<string, Report>();
  for (const file of readdirSync(folder).sort()) {
    if (!/\.(?:jsonl|ndjson)$/.test(file)) continue;
    const path = join(folder, file);
    const lines = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line): Line => JSON.parse(line));
    const date = statSync(path).mtime.toISOString().slice(0, 10);
    for (const name of new Set(lines.flatMap(({ adapter }) => adapter ?? []))) {
      const own = lines.filter(({ adapter }) => adapter === name);
      reports.set(String(name), { file, date, lines: own });
    }
  }
  return reports;
}

function fromReport({ file, date, lines }: Report): Results {
  const hello = lines.find(({ type }) => type === 'adapter') ?? {};
  const implementation = (hello['implementation'] ?? {}) as Record<string, string>;
  const outcomes = lines.filter(({ type }) => type === 'outcome');
  const causes = lines.filter(({ type }) => type === 'cause');
  return {
    version: implementation['version'] ?? '',
    language: implementation['language'] ?? '',
    source: file,
    date,
    counts: countLevels(outcomes),
    rules: countRules(outcomes),
    failures: outcomes.filter(isFailure).map((outcome) => reportFailure(outcome, causes)),
    met: outcomes
      .filter(({ level, status }) => level === 'open' && status !== 'unsupported')
      .map(({ id, met, status }) => [String(id), String(met ?? status)]),
    operations: (hello['operations'] ?? []) as readonly string[],
  };
}

const isFailure = ({ level, status }: Line): boolean =>
  level !== 'open' && status !== 'pass' && status !== 'unsupported';

function countLevels(outcomes: readonly Line[]): Results['counts'] {
  const levels: readonly Level[] = ['must', 'observed', 'advised', 'open'];
  return levels.map((level) => {
    const counts = new Map<string, number>();
    for (const { status } of outcomes.filter((one) => one['level'] === level)) {
      counts.set(String(status), (counts.get(String(status)) ?? 0) + 1);
    }
    return [level, [...counts].map(([status, number]) => `${number} ${status}`).join(', ')];
  });
}

function countRules(outcomes: readonly Line[]): ReadonlyMap<string, RuleResult> {
  const results = new Map<string, RuleResult>();
  for (const { rules, level, status } of outcomes) {
    if (level === 'open') continue;
    for (const rule of rules as readonly string[]) {
      const { passed, failed, unsupported } = results.get(rule) ?? NONE;
      results.set(rule, {
        passed: passed + Number(status === 'pass'),
        failed: failed + Number(status !== 'pass' && status !== 'unsupported'),
        unsupported: unsupported + Number(status === 'unsupported'),
      });
    }
  }
  return new Map([...results].filter(([, { passed, failed }]) => passed + failed > 0));
}

const NONE: RuleResult = { passed: 0, failed: 0, unsupported: 0 };

function reportFailure(outcome: Line, causes: readonly Line[]): SdkFailure {
  const { id, status, difference, message, reason } = outcome;
  const own = causes.filter(({ ids }) => (ids as readonly unknown[]).includes(id));
  return {
    id: String(id),
    status: String(status),
    ...(difference !== undefined && {
      difference: difference as NonNullable<SdkFailure['difference']>,
    }),
    ...(message !== undefined && { message: String(message) }),
    causes: own.map(({ mistake }) => String(mistake)),
    ...(reason !== undefined && { reason: String(reason) }),
  };
}
