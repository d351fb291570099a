/**
 * The failures of a run, a paragraph each.
 *
 * @module
 */
import type { Outcome, Run } from '../run.ts';
import type { Rule, Suite } from '../suite/vector.ts';
import { isFailure } from '../verdict.ts';
import { withAccept } from './commands.ts';
import { differenceLines } from './difference-lines.ts';
import { harmless } from './harmless.ts';
import { insightLines, type Said } from './insight.ts';
import { type Terminal, wrapped } from './terminal.ts';

/** More failures than this are counted, not shown; `--all` shows them. */
const SHOWN_FAILURES = 20;

/**
 * Every failure of a run, or the first of them.
 *
 * @param said what the report says of them before
 * @param hidden failures about which a cause says everything
 */
export function failureBlocks(
  { outcomes }: Run,
  suite: Suite,
  said: Said,
  { width, paint }: Terminal,
  all: boolean,
  accept: (id: string) => string,
  hidden: ReadonlySet<string> = new Set(),
): string {
  const failures = outcomes.filter((one) => isFailure(one) && !hidden.has(one.vector.id));
  const limit = all ? failures.length : SHOWN_FAILURES;
  const rules = new Map(suite.rules.map((rule) => [rule.id, rule]));
  const blocks = failures
    .slice(0, limit)
    .map((outcome) =>
      withAccept(
        failureBlock(outcome, insightLines(outcome, said, width), rules, { width, paint }),
        accept(outcome.vector.id),
      ),
    );
  const left = failures.length - blocks.length;
  if (left > 0) blocks.push(`… and ${left} more; --all shows them`);
  return blocks.map((block) => `${block}\n\n`).join('');
}

function failureBlock(
  { vector, verdict, otherwise }: Outcome,
  insight: readonly string[],
  rules: ReadonlyMap<string, Rule>,
  { width, paint }: Terminal,
): string {
  const lines = [`${paint('red', verdict.status.toUpperCase())} ${paint('bold', vector.id)}`];
  const indent = '  ';
  if (verdict.message !== '') lines.push(wrapped(harmless(verdict.message), width, indent));
  if (otherwise !== undefined) lines.push(wrapped(`known otherwise: ${otherwise}`, width, indent));
  lines.push(...insight);
  const { difference } = verdict;
  if (difference) lines.push(...differenceLines(difference, { width, paint }, indent));
  const [first] = vector.rules;
  const rule = first === undefined ? undefined : rules.get(first);
  if (rule) lines.push(wrapped(`rule ${rule.id} (${rule.level}): ${rule.text}`, width, indent));
  lines.push(wrapped(`why ${vector.why}`, width, indent));
  return lines.join('\n');
}
