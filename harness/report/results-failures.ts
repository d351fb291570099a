/**
 * The failures of an SDK in `RESULTS.md`: by cause, then one by one.
 *
 * @module
 */
import { UNEXPLAINED } from '../expectations/expectation.ts';
import type { Outcome } from '../run.ts';
import type { Suite } from '../suite/vector.ts';
import { excerpts, visible } from './excerpt.ts';
import type { Judged } from './results-page.ts';

const EXCERPT_WIDTH = 100;
const NO_REASON = 'Nobody knows yet why.';

export function failuresOf({ run, causes }: Judged, suite: Suite): readonly string[] {
  const failed = run.outcomes.filter(
    ({ verdict }) => !['pass', 'open', 'unsupported'].includes(verdict.status),
  );
  if (failed.length === 0) return ['No failures.'];
  return [
    ...byReason(failed, causes),
    '',
    `<details><summary>${failed.length} failures</summary>`,
    '',
    '```text',
    ...failed.flatMap((outcome) => [...block(outcome, suite), '']).slice(0, -1),
    '```',
    '',
    '</details>',
  ];
}

/** What `expectations.yaml` says about them; the reason of most failures first. */
function byReason(failed: readonly Outcome[], causes: Judged['causes']): readonly string[] {
  const counts = new Map<string, number>();
  for (const { known } of failed) {
    const cause = known && causes.get(known.place);
    const named = cause === undefined || cause === UNEXPLAINED ? '' : `\`${cause}\`: `;
    const reason = known ? `${named}${known.reason}` : NO_REASON;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const rows = [...counts].sort(([, a], [, b]) => b - a);
  return [
    '| failures | cause |',
    '|---|---|',
    ...rows.map(([reason, count]) => `| ${count} | ${reason} |`),
  ];
}

function block({ vector, verdict }: Outcome, { rules }: Suite): readonly string[] {
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
  return lines;
}
