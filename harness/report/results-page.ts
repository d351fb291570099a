/**
 * `RESULTS.md`: where published SDKs differ, as a page.
 *
 * @module
 */
import type { Status } from '../judge/judge.ts';
import type { Outcome, Run } from '../run.ts';
import type { Level, Suite } from '../suite/vector.ts';
import { countsOf } from '../verdict.ts';
import { excerpts, visible } from './excerpt.ts';

/** An adapter of the repository and what its run came to. */
export interface Judged {
  readonly name: string;
  readonly dialect: string;
  readonly run: Run;
}

const EXCERPT_WIDTH = 100;
const LEVELS: readonly Level[] = ['must', 'observed', 'open'];

/** The whole page; the same runs yield the same bytes. */
export function resultsPage(suite: Suite, judged: readonly Judged[]): string {
  return [
    '# Results',
    '',
    `What published SDKs give when they are asked about the ${suite.vectors.length} vectors of svc-conformance ${suite.version}.`,
    'Made by `svc-conformance results`; CI makes it again and fails when it differs. Each SDK is called through its own',
    'entry points and nothing is repaired (`adapters/sdk/<name>/`). *Unsupported* means that the SDK has no entry point',
    'for the operation, or cannot be told such an input; it is neither a pass nor a failure.',
    '',
    ...summaryTable(judged),
    ...judged.flatMap((one) => section(one, suite)),
    '',
  ].join('\n');
}

function summaryTable(judged: readonly Judged[]): readonly string[] {
  const rows = judged.flatMap(({ name, dialect, run }) =>
    LEVELS.map((level) => {
      const counts = countsOf(run.outcomes.map(unexpected))[level];
      const { version = '', language = '' } = run.hello?.implementation ?? {};
      const text = [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
      return `| ${name} | ${version} | ${language} | ${dialect} | ${level} | ${text} |`;
    }),
  );
  return [
    '| SDK | version | language | dialect | level | vectors |',
    '|---|---|---|---|---|---|',
    ...rows,
  ];
}

/** The page shows what happens, known or not. */
function unexpected(outcome: Outcome): Outcome {
  const { known: _, ...unknown } = outcome;
  return unknown;
}

function section({ name, run }: Judged, suite: Suite): readonly string[] {
  return ['', `## ${name}`, '', ...ruleTable(run, suite), ...failures(run, suite), ...census(run)];
}

const SHOWN: readonly Status[] = [
  'pass',
  'fail',
  'refused',
  'inconclusive',
  'error',
  'crashed',
  'timeout',
  'garbage',
  'unsupported',
];

/** Rules by what happened to their vectors; rules that it has no operation for are left out. */
function ruleTable({ outcomes }: Run, { rules }: Suite): readonly string[] {
  const rows = rules.flatMap(({ id, level }) => {
    const of = outcomes.filter(
      ({ vector }) => vector.rules.includes(id) && vector.level !== 'open',
    );
    const counts = SHOWN.flatMap((status) => {
      const count = of.filter(({ verdict }) => verdict.status === status).length;
      return count === 0 ? [] : [`${count} ${status}`];
    });
    const judged = of.some(({ verdict }) => verdict.status !== 'unsupported');
    return judged ? [`| ${id} | ${level} | ${counts.join(', ')} |`] : [];
  });
  return ['| rule | level | vectors |', '|---|---|---|', ...rows];
}

function failures({ outcomes }: Run, { rules }: Suite): readonly string[] {
  const failed = outcomes.filter(
    ({ vector, verdict }) =>
      vector.level !== 'open' && !['pass', 'unsupported'].includes(verdict.status),
  );
  if (failed.length === 0) return ['', 'No failures.'];
  const blocks = failed.flatMap(({ vector, verdict }) => {
    const rule = rules.find(({ id }) => id === vector.rules[0]);
    const lines = [`${verdict.status}  ${vector.id}`];
    if (verdict.difference) {
      const shown = excerpts(verdict.difference, EXCERPT_WIDTH);
      lines.push(
        `  ${verdict.difference.stage}`,
        `  expected ${shown.expected}`,
        `  actual   ${shown.actual}`,
        `           ${shown.caret}`,
      );
    }
    if (verdict.message !== '')
      lines.push(`  ${visible(verdict.message).slice(1, -1).replaceAll('\\"', '"')}`);
    if (rule) lines.push(`  rule ${rule.id}: ${rule.text}`);
    return [...lines, ''];
  });
  return [
    '',
    `<details><summary>${failed.length} failures</summary>`,
    '',
    '```text',
    ...blocks.slice(0, -1),
    '```',
    '',
    '</details>',
  ];
}

function census({ outcomes }: Run): readonly string[] {
  const open = outcomes.filter(({ verdict }) => verdict.status === 'open');
  if (open.length === 0) return [];
  return [
    '',
    'Open questions, and the answer met:',
    '',
    ...open.map(
      ({ vector, verdict }) => `- ${vector.id}: ${verdict.met ?? 'none of the named answers'}`,
    ),
  ];
}
