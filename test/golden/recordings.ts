/**
 * Records the results of a verb as lines that depend only on its verdicts, causes and ids: no
 * paths, ports, durations or prose.
 *
 * @module
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { findingsIn } from '../harness/findings.ts';
import { type Ended, svcConformance } from '../harness/svc-conformance.ts';
import type { Line } from './golden-file.ts';
import type { Row } from './rows.ts';

type Lines = readonly Line[];

/** Calls `use` with a temporary folder, which is removed afterwards. */
async function useFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-golden-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs a verb. Some programs in test/harness/programs log what they do to the file `RECORD`. */
function ask(
  folder: string,
  parameters: readonly string[],
  environment: Row['environment'] = {},
): Promise<Ended> {
  const record = join(folder, 'record');
  writeFileSync(record, '');
  return svcConformance(parameters, { environment: { RECORD: record, ...environment } });
}

/** Records the JSON Lines report of `run`, `wire` or `probe`. */
export function recordReport(
  verb: 'run' | 'wire' | 'probe',
  { parameters, environment }: Row,
): Promise<Lines> {
  return useFolder(async (folder) => {
    const report = join(folder, 'report.jsonl');
    const words = [verb, '--reporter', `json-lines=${report}`, ...parameters];
    const { code } = await ask(folder, words, environment);
    return [{ exit: code }, ...reportLines(parseLines(readFileSync(report, 'utf8')))];
  });
}

function parseLines(text: string): Lines {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

function reportLines(report: Lines): Lines {
  const linesOf = (type: string): Lines => report.filter((line) => line['type'] === type);
  const outcomes = linesOf('outcome');
  const { counts = [] } = (linesOf('footer')[0] ?? {}) as { readonly counts?: Lines };
  const known = outcomes.filter((line) => line['known'] === true).length;
  const fresh = linesOf('fresh');
  return [
    ...counts.map(({ adapter: _, ...levels }) => ({ counts: levels })),
    ...linesOf('adapter').flatMap(({ stale }) =>
      Array.isArray(stale) ? [{ stale: stale.length }] : [],
    ),
    ...(known > 0 ? [{ known }] : []),
    ...(fresh.length > 0 ? [{ fresh: countBy(fresh, 'status') }] : []),
    ...linesOf('cause').map(causeLine),
    ...linesOf('unexplained').map(({ ids }) => ({ unexplained: (ids as Lines).length })),
    ...outcomeLines(outcomes),
    ...vectorLines(outcomes, ({ otherwise }) => otherwise !== undefined && 'otherwise'),
    ...forgedLines(linesOf('forged')),
  ];
}

function causeLine({ mistake, confidence, rule, fix, ids, ...rest }: Line): Line {
  const { others, within, differing } = rest;
  const [shown] = ids as readonly string[];
  return {
    cause: mistake,
    confidence,
    ...(within !== undefined && { within }),
    ...(differing !== undefined && { differing }),
    answers: (ids as readonly string[]).length,
    shown,
    rule,
    fix,
    ...((others as Lines).length > 0 && { others }),
  };
}

/** Counts of open vectors by `met`, then the other vectors that did not pass. */
function outcomeLines(outcomes: Lines): Lines {
  const open = outcomes.filter(({ status }) => status === 'open');
  return [
    ...(open.length > 0 ? [{ open: countBy(open, 'met') }] : []),
    ...vectorLines(outcomes, ({ status }) => status !== 'pass' && status !== 'open' && `${status}`),
  ];
}

/** The smallest folder whose vectors are recorded as "all N" instead of by their ids. */
const FEWEST = 3;

/** The vectors for which `wordFor` returns a word, by folder and word. */
function vectorLines(outcomes: Lines, wordFor: (outcome: Line) => string | false): Lines {
  const folders = groupBy(outcomes, vectorFolder);
  return [...folders].flatMap(([folder, all]) => {
    const groups = groupBy(all, (outcome) => wordFor(outcome) || '');
    groups.delete('');
    return [...groups].map(([word, group]) => {
      const isWhole = group.length >= FEWEST && group.length === all.length;
      const ids = group.map(({ id }) => String(id).slice(folder.length + 1));
      return { [word]: folder, ids: isWhole ? `all ${group.length}` : ids };
    });
  });
}

/** Forged requests without the required refusal, by operation and status. */
function forgedLines(forged: Lines): Lines {
  const groups = groupBy(forged, ({ operation, status }) => `${operation} ${status}`);
  return [...groups].map(([name, group]) => {
    const [operation, status] = name.split(' ');
    return { forged: operation, status, mistakes: group.flatMap(({ mistakes }) => mistakes) };
  });
}

function vectorFolder({ id }: Line): string {
  return String(id).split('/').slice(0, -1).join('/');
}

function groupBy(lines: Lines, nameOf: (line: Line) => string): Map<string, Lines> {
  const groups = new Map<string, Lines>();
  for (const line of lines) {
    const name = nameOf(line);
    groups.set(name, [...(groups.get(name) ?? []), line]);
  }
  return groups;
}

function countBy(lines: Lines, member: string): Readonly<Record<string, number>> {
  const groups = groupBy(lines, (line) => String(line[member] ?? 'none'));
  const counts = [...groups].map(([name, group]) => [name, group.length] as const);
  return Object.fromEntries(counts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Records the entries that `accept` writes. */
export function recordAccept({ parameters, environment }: Row): Promise<Lines> {
  return useFolder(async (folder) => {
    const path = join(folder, 'expectations.yaml');
    const words = ['accept', '--expectations', path, '--reason', 'Known.', ...parameters];
    const { code } = await ask(folder, words, environment);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : 'expectations: []';
    const { expectations } = parse(text) as { readonly expectations: Lines };
    return [{ exit: code }, ...expectations.map(({ reason: _, ...entry }) => entry)];
  });
}

/** Records the counts of `fuzz` and its findings, each with its shrunk input. */
export function recordFuzz({ parameters, environment }: Row): Promise<Lines> {
  return useFolder(async (folder) => {
    const { code, stdout } = await ask(folder, ['fuzz', ...parameters], environment);
    const [, requests, questions] =
      /^(\d+) requests .* (\d+) questions/m.exec(stdout)?.map(Number) ?? [];
    return [{ exit: code, requests, questions }, ...findingsIn(stdout).map(findingLine)];
  });
}

function findingLine(finding: ReturnType<typeof findingsIn>[number]): Line {
  const { status, operation, causes, text, again, vector } = finding;
  const others = /\(or one of ([^)]*)\)/.exec(text)?.[1]?.split(', ');
  return {
    [status.toLowerCase()]: operation,
    causes,
    ...(others && { others }),
    path: again[again.indexOf('--path') + 1],
    ...(vector && { input: vector['input'] }),
  };
}

/** Records the signatures and the causes that `explain` prints. */
export function recordExplain({ parameters, environment }: Row): Promise<Lines> {
  return useFolder(async (folder) => {
    const { code, stdout } = await ask(folder, ['explain', ...parameters], environment);
    const findRows = (label: string): readonly string[] =>
      [...stdout.matchAll(new RegExp(`^ {2}${label} +(.*)$`, 'gm'))].map(([, text = '']) => text);
    const [expected] = findRows('expected');
    const [sent] = findRows('sent');
    const causes = stdout.split(/^(?=wrongly signed|refused|expired|\d+\. )/m).slice(1);
    return [
      { exit: code, expected, ...(sent !== expected && { sent }) },
      ...causes.map(explainedLine).filter((line) => Object.keys(line).length > 0),
    ];
  });
}

/** The mistakes, fixes and rules in the text of one cause. */
function explainedLine(block: string): Line {
  const members = block
    .split(/^ {2}(?=(?:mistake|page|fix|rule|signed instead) )/m)
    .slice(1)
    .map((text) => text.replaceAll(/\s+/g, ' ').trim());
  const findMembers = (word: string): readonly string[] =>
    members.flatMap((text) => (text.startsWith(`${word} `) ? [text.slice(word.length + 1)] : []));
  const [instead] = findMembers('signed instead');
  return {
    ...(findMembers('mistake').length > 0 && { mistakes: findMembers('mistake') }),
    ...(findMembers('fix').length > 0 && { fixes: findMembers('fix') }),
    ...(findMembers('rule').length > 0 && {
      rules: findMembers('rule').map((text) => text.split(' ')[0]),
    }),
    ...(instead !== undefined && { instead }),
  };
}
