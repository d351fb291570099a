/**
 * The failures of an SDK in `RESULTS.md`: by cause, then one by one.
 *
 * @module
 */
import type { Expectation } from '../expectations.ts';
import type { Outcome } from '../run.ts';
import { globPattern } from '../suite/select.ts';
import type { Suite } from '../suite/vector.ts';
import { excerpts, visible } from './excerpt.ts';
import type { Judged } from './results-page.ts';

const EXCERPT_WIDTH = 100;
const NO_REASON = 'Nobody knows yet why.';

export function failuresOf({ run, expectations }: Judged, suite: Suite): readonly string[] {
  const failed = run.outcomes.filter(
    ({ verdict }) => !['pass', 'open', 'unsupported'].includes(verdict.status),
  );
  if (failed.length === 0) return ['No failures.'];
  return [
    ...byReason(failed, expectations),
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

/** What `expectations.yaml` says about them, in its order. */
function byReason(
  failed: readonly Outcome[],
  expectations: readonly Expectation[],
): readonly string[] {
  const known = expectations.map(({ match, status, reason }) => ({
    reason,
    meets: ({ vector, verdict }: Outcome) =>
      verdict.status === status && globPattern(match).test(vector.id),
  }));
  const counts = new Map<string, number>(known.map(({ reason }) => [reason, 0]));
  for (const outcome of failed) {
    const reason = known.find(({ meets }) => meets(outcome))?.reason ?? NO_REASON;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const rows = [...counts].filter(([, count]) => count > 0);
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
