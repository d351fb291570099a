/**
 * A comparison of two reports, for people.
 *
 * @module
 */
import {
  type AdapterComparison,
  type Change,
  type Comparison,
  hasRegressions,
} from '../engine/report/comparison.ts';
import { harmless } from './harmless.ts';
import { INDENT, type Style, type Terminal } from './terminal.ts';

/** Further changes of one kind are only counted. */
const SHOWN = 20;

/** @param all whether to show every change instead of the first of each kind */
export function comparisonReport(comparison: Comparison, out: Terminal, all: boolean): string {
  const { adapters, newAdapters, goneAdapters } = comparison;
  const verdict = hasRegressions(comparison)
    ? out.paint('red', 'regressions')
    : out.paint('green', 'no regressions');
  return [
    ...adapters.map((one) => adapterBlock(one, out, all)),
    ...newAdapters.map((name) => `${harmless(name)}\n${INDENT}only in the second report\n\n`),
    ...goneAdapters.map((name) => `${harmless(name)}\n${INDENT}only in the first report\n\n`),
    `${verdict}\n`,
  ].join('');
}

function adapterBlock(one: AdapterComparison, out: Terminal, all: boolean): string {
  const { adapter, regressions, fixes, changed, added, gone, newCauses, goneCauses } = one;
  const section = (title: string, changes: readonly Change[], style: Style): readonly string[] =>
    sectionLines(`${changes.length} ${title}`, changes.map(changeText), style, out, all);
  const causes = (title: string, ids: readonly string[]): readonly string[] =>
    sectionLines(title, ids, 'yellow', out, all);
  const lines = [
    ...section(plural(regressions, 'regression', 'regressions'), regressions, 'red'),
    ...causes('new causes', newCauses),
    ...section(plural(fixes, 'fix', 'fixes'), fixes, 'green'),
    ...causes('causes that no longer appear', goneCauses),
    ...section('changed, but not passing', changed, 'yellow'),
    ...section('new', added, 'cyan'),
    ...section('removed', gone, 'cyan'),
  ];
  const body = lines.length === 0 ? [`${INDENT}no change`] : lines;
  return `${out.paint('bold', harmless(adapter))}\n${body.join('\n')}\n\n`;
}

function plural({ length }: readonly unknown[], one: string, several: string): string {
  return length === 1 ? one : several;
}

function sectionLines(
  title: string,
  items: readonly string[],
  style: Style,
  { paint }: Terminal,
  all: boolean,
): readonly string[] {
  if (items.length === 0) return [];
  const shown = all ? items : items.slice(0, SHOWN);
  const left = items.length - shown.length;
  return [
    `${INDENT}${paint(style, title)}`,
    ...shown.map((item) => `${INDENT}${INDENT}${harmless(item)}`),
    ...(left > 0 ? [`${INDENT}${INDENT}… and ${left} more; --all shows them`] : []),
  ];
}

/** `authorization/x: pass → fail (folds-kept)`. */
function changeText({ name, before, after, causes = [] }: Change): string {
  const statuses = [before, after].filter((status) => status !== undefined).join(' → ');
  const why = causes.length === 0 ? '' : ` (${causes.join(', ')})`;
  return `${name}: ${statuses}${why}`;
}
