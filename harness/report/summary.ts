/**
 * A run in numbers, and the answers to open questions.
 *
 * @module
 */
import type { Verdict } from '../judge/judge.ts';
import type { Run } from '../run.ts';
import { LEVELS, type Level } from '../suite/vector.ts';
import { countsOf, forgedCounts, freshCounts, isTolerated } from '../verdict.ts';
import { visible } from './excerpt.ts';
import { harmless } from './harmless.ts';
import { filled, type Style, type Terminal, wrapped } from './terminal.ts';

/** What fails no run: the answers to open questions, and advice that is not followed. */
export function censusBlock({ outcomes }: Run, out: Terminal): string {
  const open = outcomes.filter(({ verdict }) => verdict.status === 'open');
  return (
    listBlock(
      'open questions, and the answer met',
      open.map(({ vector, verdict }) => `${vector.id}: ${answerName(verdict)}`),
      out,
    ) +
    listBlock(
      'advised, and what happened',
      outcomes.filter(isTolerated).map(({ vector, verdict: { status, message } }) => {
        const what = message === '' ? '' : `: ${harmless(message)}`;
        return `${vector.id}: ${status}${what}`;
      }),
      out,
    )
  );
}

function listBlock(title: string, items: readonly string[], { width, paint }: Terminal): string {
  if (items.length === 0) return '';
  const lines = items.map((item) => wrapped(item, width, '  '));
  return `${paint('bold', title)}\n${lines.join('\n')}\n\n`;
}

function answerName({ met, message }: Verdict): string {
  return met ?? message;
}

/** One adapter's counts: `412 pass · 3 fail · 20 unsupported`, each level apart, and forged requests apart. */
export function countLines(run: Run, { width, paint }: Terminal): string {
  const counts = countsOf(run.outcomes);
  const isTolerant = run.outcomes.some(isTolerated);
  const stylesOf = (level: Level): Readonly<Record<string, Style>> =>
    level === 'advised' && isTolerant ? TOLERATED : STYLES;
  const lines = LEVELS.filter((level) => counts[level].size > 0).map((level) =>
    filled(`${level.padEnd(9)} ${countText(counts[level], paint, stylesOf(level))}`, width, '  '),
  );
  if (isTolerant) lines.push(wrapped(ADVICE, width, '  '));
  const forged = forgedCounts(run.forged ?? []);
  if (forged.size > 0) {
    lines.push(
      filled(
        `${'forged'.padEnd(9)} ${countText(forged, paint, { refused: 'green' })}`,
        width,
        '  ',
      ),
    );
  }
  const { fresh } = run;
  if (fresh) {
    const counts = `${'fresh'.padEnd(9)} ${countText(freshCounts(run), paint)}`;
    lines.push(wrapped(`${counts} (--seed ${fresh.seed})`, width, '  '));
  }
  return `${lines.join('\n')}\n`;
}

/** Why the failures of level advised fail no run, and how they do. */
const ADVICE =
  'what is advised does not count here: --all lists what was not followed, --level advised makes it count';

const STYLES: Readonly<Record<string, Style>> = {
  pass: 'green',
  open: 'cyan',
  unsupported: 'yellow',
  'known failure': 'yellow',
};

/** Not red: none of it fails the run. */
const TOLERATED: Readonly<Record<string, Style>> = {
  ...STYLES,
  ...{ fail: 'yellow', refused: 'yellow', inconclusive: 'yellow' },
  ...{ error: 'yellow', crashed: 'yellow', timeout: 'yellow', garbage: 'yellow' },
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
