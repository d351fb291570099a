/**
 * `RESULTS.md`: what published SDKs do differently, by cause.
 *
 * @module
 */
import { escapeInvisible } from '../engine/excerpt.ts';
import type { Expectation } from '../engine/judge/outcome.ts';
import {
  countLevel,
  findReason,
  listFailures,
  type SdkResults,
  type VectorResult,
} from '../engine/report/sdk-results.ts';
import { LEVELS, type Suite } from '../engine/vector.ts';

/** A published SDK with its known failures. */
export interface JudgedSdk {
  readonly results: SdkResults;
  readonly known: readonly Expectation[];
}

const UNKNOWN = 'The cause is unknown.';

/** The whole page; the same results yield the same bytes. */
export function resultsPage(suite: Suite, judged: readonly JudgedSdk[]): string {
  return [
    '# Results',
    '',
    `What published SDKs give when they are asked about the ${suite.vectors.length} vectors of svc-conformance ${suite.version}. Each SDK is called`,
    'through its own entry points, and nothing is repaired. *Unsupported* means that the SDK has no entry point for the operation, or',
    'cannot be told such an input; it is neither a pass nor a failure.',
    '',
    '`svc-conformance results` writes this page, and `results.jsonl` beside each adapter, which has the result of each vector.',
    '`npx svc-conformance docs ID` opens the page of a cause or an SDK; `npx svc-conformance docs results` has rules by SDKs.',
    '',
    `| SDK | version | language | ${LEVELS.join(' | ')} |`,
    `|---|---|---|${LEVELS.map(() => '---|').join('')}`,
    ...judged.map(({ results }) => {
      const { sdk, version, language } = results;
      const counts = LEVELS.map((level) => countLevel(results, suite, level));
      return `| [${sdk}](#${sdk}) | ${version} | ${language} | ${counts.join(' | ')} |`;
    }),
    ...judged.flatMap((one) => section(one, suite)),
    '',
  ].join('\n');
}

function section({ results, known }: JudgedSdk, suite: Suite): readonly string[] {
  const { sdk, dialect } = results;
  const failures = listFailures(results, suite).map(([, result]) => result);
  const folder = `adapters/sdk/${sdk}`;
  return [
    '',
    `## ${sdk}`,
    '',
    `[How it is called](${folder}/README.md), [every result](${folder}/results.jsonl), dialect ${dialect}.`,
    '',
    ...(failures.length === 0 ? ['No failures.'] : causeTable(failures, known)),
  ];
}

/** The causes of most failures first, each with what the known failures of the SDK say about it. */
function causeTable(
  failures: readonly VectorResult[],
  known: readonly Expectation[],
): readonly string[] {
  const counts = new Map<string, number>();
  for (const failure of failures) {
    const causes = (failure.causes ?? []).map((cause) => `\`${cause}\``).join(' and ');
    const reason = escapeInvisible(findReason(failure, known) ?? UNKNOWN);
    const row = causes === '' ? reason : `${causes}: ${reason}`;
    counts.set(row, (counts.get(row) ?? 0) + 1);
  }
  const rows = [...counts].sort(([, a], [, b]) => b - a);
  return ['| failures | cause |', '|---|---|', ...rows.map(([row, n]) => `| ${n} | ${row} |`)];
}
