/**
 * A run in numbers, and the answers to open questions.
 *
 * @module
 */
import type { Verdict } from '../judge/judge.ts';
import type { Run } from '../run.ts';
import type { Level } from '../suite/vector.ts';
import { countsOf, forgedCounts } from '../verdict.ts';
import { visible } from './excerpt.ts';
import { type Style, type Terminal, wrapped } from './terminal.ts';

const LABELS: Readonly<Record<Level, string>> = {
  must: 'must',
  observed: 'observed',
  open: 'open',
};

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
export function harmless(sentence: string): string {
  return sentence.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
