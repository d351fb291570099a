/**
 * `RESULTS.md`: where published SDKs differ, as a page.
 *
 * @module
 */
import type { Outcome, Run } from '../run.ts';
import { LEVELS, type Suite } from '../suite/vector.ts';
import { countsOf } from '../verdict.ts';
import { visibleWithin } from './excerpt.ts';
import { failuresOf } from './results-failures.ts';
import { rulesBySdk } from './results-matrix.ts';

/** An adapter of the repository and what its run came to. */
export interface Judged {
  readonly name: string;
  readonly dialect: string;
  /** With the known failures marked. */
  readonly run: Run;
}

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
  return `no answer (${status}: ${visibleWithin(message)})`;
}
