/**
 * A comparison of two reports, for people.
 *
 * @module
 */
import { formatCount } from '../engine/excerpt.ts';
import {
  type AdapterComparison,
  type Change,
  type Comparison,
  hasRegressions,
} from '../engine/report/comparison.ts';
import { harmless } from './harmless.ts';
import { INDENT, type Style, showSome, type Terminal, toBlocks } from './terminal.ts';

/** Further changes of one kind are only counted. */
const SHOWN = 20;

/** @param all whether to show every change instead of the first of each kind */
export function comparisonReport(comparison: Comparison, out: Terminal, all: boolean): string {
  const { adapters, newAdapters, goneAdapters } = comparison;
  const verdict = hasRegressions(comparison)
    ? out.paint('red', 'regressions')
    : out.paint('green', 'no regressions');
  const blocks = [
    ...adapters.map((one) => adapterLines(one, out, all)),
    ...newAdapters.map((name) => [harmless(name), `${INDENT}only in the second report`]),
    ...goneAdapters.map((name) => [harmless(name), `${INDENT}only in the first report`]),
  ];
  return `${toBlocks(blocks)}${verdict}\n`;
}

function adapterLines(
  one: AdapterComparison,
  { paint }: Terminal,
  all: boolean,
): readonly string[] {
  const { adapter, regressions, fixes, changed, added, gone, newCauses, goneCauses } = one;
  const section = (title: string, items: readonly string[], style: Style): readonly string[] => {
    const indent = INDENT + INDENT;
    const show = (item: string): string => indent + harmless(item);
    const lines = showSome(items, all ? items.length : SHOWN, show, indent);
    return items.length === 0 ? [] : [`${INDENT}${paint(style, title)}`, ...lines];
  };
  const lines = [
    ...section(formatCount(regressions.length, 'regression'), regressions.map(changeText), 'red'),
    ...section('new causes', newCauses, 'yellow'),
    ...section(formatCount(fixes.length, 'fix', 'fixes'), fixes.map(changeText), 'green'),
    ...section('causes that no longer appear', goneCauses, 'yellow'),
    ...section(`${changed.length} changed, but not passing`, changed.map(changeText), 'yellow'),
    ...section(`${added.length} new`, added.map(changeText), 'cyan'),
    ...section(`${gone.length} removed`, gone.map(changeText), 'cyan'),
  ];
  const body = lines.length === 0 ? [`${INDENT}no change`] : lines;
  return [paint('bold', harmless(adapter)), ...body];
}

/** `authorization/x: pass → fail (folds-kept)`. */
function changeText({ name, before, after, causes = [] }: Change): string {
  const statuses = [before, after].filter((status) => status !== undefined).join(' → ');
  const why = causes.length === 0 ? '' : ` (${causes.join(', ')})`;
  return `${name}: ${statuses}${why}`;
}
