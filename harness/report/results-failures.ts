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
const UNKNOWN = 'Nobody knows yet why.';

export function failuresOf({ run }: Judged, suite: Suite): readonly string[] {
  // What nobody knows the answer to is no failure, whatever comes of it.
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
    ...failed.flatMap((outcome) => [...block(outcome, suite), '']).slice(0, -1),
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

/** The known mistakes of a failure; where there is none, as of what is no answer, why it is known. */
function causeOf(outcome: Outcome): string {
  const causes = mistakesOf(outcome);
  return causes.length > 0 ? causes.join(' and ') : (outcome.known?.reason ?? UNKNOWN);
}

function block(outcome: Outcome, { rules }: Suite): readonly string[] {
  const { vector, verdict } = outcome;
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
  lines.push(`  cause ${causeOf(outcome)}`);
  if (rule) lines.push(`  rule ${rule.id}: ${rule.text}`);
  return lines;
}
