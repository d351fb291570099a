/**
 * A run in words: its failures, then its counts.
 *
 * @module
 */
import type { Verdict } from '../judge/judge.ts';
import type { Outcome, Run } from '../run.ts';
import type { Level, Rule, Suite } from '../suite/vector.ts';
import { countsOf, forgedCounts, isFailure } from '../verdict.ts';
import { excerpts, visible } from './excerpt.ts';
import { type Style, type Terminal, wrapped } from './terminal.ts';

/** More failures than this are counted, not shown; `--all` shows them. */
const SHOWN_FAILURES = 20;

const LABELS: Readonly<Record<Level, string>> = {
  must: 'must',
  observed: 'observed',
  open: 'open',
};

/** Every failure of a run, at most `limit` of them. */
export async function failureBlocks(
  { outcomes }: Run,
  suite: Suite,
  { width, paint }: Terminal,
  limit: number = SHOWN_FAILURES,
): Promise<string> {
  const failures = outcomes.filter(isFailure);
  if (failures.length === 0) return '';
  // Most runs have nothing to explain.
  const { insightLines } = await import('./insight.ts');
  const rules = new Map(suite.rules.map((rule) => [rule.id, rule]));
  const blocks = failures
    .slice(0, limit)
    .map((outcome) => failureBlock(outcome, insightLines(outcome, width), rules, { width, paint }));
  const left = failures.length - blocks.length;
  if (left > 0) blocks.push(`… and ${left} more; --all shows them`);
  return blocks.map((block) => `${block}\n\n`).join('');
}

function failureBlock(
  { vector, verdict }: Outcome,
  insight: readonly string[],
  rules: ReadonlyMap<string, Rule>,
  { width, paint }: Terminal,
): string {
  const lines = [`${paint('red', verdict.status.toUpperCase())} ${paint('bold', vector.id)}`];
  const indent = '  ';
  if (verdict.message !== '') lines.push(wrapped(harmless(verdict.message), width, indent));
  lines.push(...insight);
  const { difference } = verdict;
  if (difference) {
    const label = (text: string): string => `${indent}${text.padEnd(9)} `;
    const shown = excerpts(difference, width - label('').length);
    lines.push(`${indent}${difference.stage} differs at character ${difference.at + 1}`);
    lines.push(label('expected') + shown.expected);
    lines.push(label('actual') + shown.actual);
    lines.push(label('') + paint('yellow', shown.caret));
  }
  const [first] = vector.rules;
  const rule = first === undefined ? undefined : rules.get(first);
  if (rule) lines.push(wrapped(`rule ${rule.id} (${rule.level}): ${rule.text}`, width, indent));
  lines.push(wrapped(`why ${vector.why}`, width, indent));
  return lines.join('\n');
}

/** Which answers an adapter gave where nobody says what is right. */
export function censusBlock({ outcomes }: Run, { width, paint }: Terminal): string {
  const open = outcomes.filter(({ verdict }) => verdict.status === 'open');
  if (open.length === 0) return '';
  const lines = open.map(
    ({ vector, verdict }) => `${wrapped(`${vector.id}: ${answerName(verdict)}`, width, '  ')}`,
  );
  return `${paint('bold', 'open questions, and the answer met')}\n${lines.join('\n')}\n\n`;
}

function answerName({ met, message }: Verdict): string {
  return met ?? message;
}

/** One adapter's counts: `412 pass · 3 fail · 20 unsupported`, must and observed apart, and forged requests apart. */
export function countLines(run: Run, { width, paint }: Terminal): string {
  const counts = countsOf(run.outcomes);
  const lines = (Object.keys(LABELS) as Level[])
    .filter((level) => counts[level].size > 0)
    .map((level) =>
      wrapped(`${LABELS[level].padEnd(9)} ${countText(counts[level], paint)}`, width, '  '),
    );
  const forged = forgedCounts(run.forged ?? []);
  if (forged.size > 0) {
    lines.push(
      wrapped(
        `${'forged'.padEnd(9)} ${countText(forged, paint, { refused: 'green' })}`,
        width,
        '  ',
      ),
    );
  }
  return `${lines.join('\n')}\n`;
}

const STYLES: Readonly<Record<string, Style>> = {
  pass: 'green',
  open: 'cyan',
  unsupported: 'yellow',
  'known failure': 'yellow',
};

function countText(
  counts: ReadonlyMap<string, number>,
  paint: Terminal['paint'],
  styles: Readonly<Record<string, Style>> = STYLES,
): string {
  return [...counts]
    .map(([status, count]) => paint(styles[status] ?? 'red', `${count} ${status}`))
    .join(' · ');
}

/** The name of an implementation as it names itself. */
export function implementationName({ hello }: Run, fallback: string): string {
  if (!hello) return visible(fallback);
  const { name, version, language } = hello.implementation;
  return harmless(`${name} ${version} (${language})`);
}

/** A sentence with foreign text in it: whatever a terminal would obey is escaped. */
function harmless(sentence: string): string {
  return sentence.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
