/**
 * `RESULTS.md`: where published SDKs differ, as a page.
 *
 * @module
 */

import { escapeInvisible, quote } from '../engine/excerpt.ts';
import { UNEXPLAINED } from '../engine/judge/expectation.ts';
import type { Outcome, Run } from '../engine/judge/outcome.ts';
import { countByLevel } from '../engine/judge/summary.ts';
import { LEVELS, type Suite } from '../engine/vector.ts';
import { excerptDifference } from './difference-lines.ts';

/** An adapter of the repository and what its run came to. */
export interface Judged {
  readonly name: string;
  readonly dialect: string;
  /** With the known failures marked. */
  readonly run: Run;
}

const EXCERPT_WIDTH = 100;
const UNKNOWN = 'The cause is unknown.';

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
    '',
    ...rulesBySdk(suite, judged),
    ...judged.flatMap((one) => section(one, suite)),
    '',
  ].join('\n');
}

function summaryTable(judged: readonly Judged[]): readonly string[] {
  const rows = judged.flatMap(({ name, dialect, run }) =>
    LEVELS.map((level) => {
      const counts = countByLevel(run.outcomes.map(unexpected))[level];
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

function section(judged: Judged, suite: Suite): readonly string[] {
  return ['', `## ${judged.name}`, '', ...failuresOf(judged, suite), ...census(judged.run)];
}

function census({ outcomes }: Run): readonly string[] {
  const open = outcomes.filter(
    ({ vector, verdict }) => vector.level === 'open' && verdict.status !== 'unsupported',
  );
  if (open.length === 0) return [];
  return [
    '',
    'Open questions, and the answer met:',
    '',
    ...open.map((outcome) => `- ${outcome.vector.id}: ${answerMet(outcome)}`),
  ];
}

function answerMet({ verdict: { status, met, message } }: Outcome): string {
  if (status === 'open') return met ?? 'none of the named answers';
  return `no answer (${status}: ${escapeInvisible(message)})`;
}

/** A row for each rule that an SDK was judged by; vectors of level open do not count. */
function rulesBySdk({ rules }: Suite, judged: readonly Judged[]): readonly string[] {
  const rows = rules.flatMap(({ id, level }) => {
    const cells = judged.map((one) => cell(one, id));
    return cells.every((text) => text === NOTHING)
      ? []
      : [`| ${id} | ${level} | ${cells.join(' | ')} |`];
  });
  return [
    '## Rules by SDKs',
    '',
    'Vectors of the rule: passed / failed / unsupported. Failed is everything but a pass: another answer, an answer where a',
    `refusal is due, a refusal where an answer is, an exception. ${NOTHING} where every vector is unsupported. Rules of which that is`,
    'true for every SDK are left out.',
    '',
    `| rule | level | ${judged.map(({ name }) => name).join(' | ')} |`,
    `|---|---|${judged.map(() => '---|').join('')}`,
    ...rows,
  ];
}

const NOTHING = '–';

function cell({ run }: Judged, rule: string): string {
  const of = run.outcomes.filter(
    ({ vector }) => vector.rules.includes(rule) && vector.level !== 'open',
  );
  const passed = of.filter(({ verdict }) => verdict.status === 'pass').length;
  const unsupported = of.filter(({ verdict }) => verdict.status === 'unsupported').length;
  if (unsupported === of.length) return NOTHING;
  return `${passed} / ${of.length - passed - unsupported} / ${unsupported}`;
}

function failuresOf({ run }: Judged, suite: Suite): readonly string[] {
  // Open questions have no correct answer, so they cannot fail.
  const failed = run.outcomes.filter(
    ({ vector, verdict }) =>
      vector.level !== 'open' && !['pass', 'unsupported'].includes(verdict.status),
  );
  if (failed.length === 0) return ['No failures.'];
  return [
    ...byCause(failed),
    '',
    `<details><summary>${failed.length} failures</summary>`,
    '',
    '```text',
    ...failed.flatMap((outcome) => [...failureLines(outcome, suite), '']).slice(0, -1),
    '```',
    '',
    '</details>',
  ];
}

/** What `expectations.yaml` says about them; the causes of most failures first. */
function byCause(failed: readonly Outcome[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const outcome of failed) {
    const causes = mistakesOf(outcome).map((cause) => `\`${cause}\``);
    const named = causes.length === 0 ? '' : `${causes.join(' and ')}: `;
    const row = named + (outcome.known?.reason ?? UNKNOWN);
    counts.set(row, (counts.get(row) ?? 0) + 1);
  }
  const rows = [...counts].sort(([, a], [, b]) => b - a);
  return ['| failures | cause |', '|---|---|', ...rows.map(([row, n]) => `| ${n} | ${row} |`)];
}

function mistakesOf({ known }: Outcome): readonly string[] {
  return (known?.causes ?? []).filter((cause) => cause !== UNEXPLAINED);
}

/** The known mistakes of a failure, or, for a failure without an answer, the reason why it is known. */
function causeOf(outcome: Outcome): string {
  const causes = mistakesOf(outcome);
  return causes.length > 0 ? causes.join(' and ') : (outcome.known?.reason ?? UNKNOWN);
}

function failureLines(outcome: Outcome, { rules }: Suite): readonly string[] {
  const { vector, verdict } = outcome;
  const rule = rules.find(({ id }) => id === vector.rules[0]);
  const lines = [`${verdict.status}  ${vector.id}`];
  if (verdict.difference) {
    const shown = excerptDifference(verdict.difference, EXCERPT_WIDTH);
    lines.push(
      `  ${verdict.difference.stage}`,
      `  expected ${shown.expected}`,
      `  actual   ${shown.actual}`,
      `           ${shown.caret}`,
    );
  }
  if (verdict.message !== '')
    lines.push(`  ${quote(verdict.message).slice(1, -1).replaceAll('\\"', '"')}`);
  lines.push(`  cause ${causeOf(outcome)}`);
  if (rule) lines.push(`  rule ${rule.id}: ${rule.text}`);
  return lines;
}
