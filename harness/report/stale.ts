/**
 * Expectations that are over, in words.
 *
 * @module
 */
import type { Run } from '../run.ts';
import { visibleWithin } from './excerpt.ts';
import { type Terminal, wrapped } from './terminal.ts';

/** A paragraph for each, with the lines that are to go. */
export function staleBlock({ stale = [] }: Run, { width, paint }: Terminal): string {
  return stale
    .map(({ problem, first, lines }) =>
      [
        `${paint('red', 'STALE')} ${wrapped(visibleWithin(problem), width - 'STALE '.length, '').replaceAll('\n', '\n  ')}`,
        ...lines.map((line, i) => `  ${paint('dim', `${first + i} |`)} ${visibleWithin(line)}`),
      ].join('\n'),
    )
    .map((block) => `${block}\n\n`)
    .join('');
}
