/**
 * The failures that no known mistake explains, for people.
 *
 * @module
 */
import type { ShrunkVector } from '../engine/diagnosis/explanation.ts';
import { escapeInvisible, shorten } from '../engine/excerpt.ts';
import { describeShape } from '../engine/insight/shape.ts';
import type { Report } from '../engine/report/report.ts';
import { differenceLines } from './difference-lines.ts';
import { exampleLines, inputText, LONGEST_MESSAGE } from './example-lines.ts';
import { countFailures, neighbourSentence, someIds } from './sentences.ts';
import { type Terminal, wrapped } from './terminal.ts';

/** Further groups and smallest requests are only counted; `--all` shows them. */
const SHOWN_GROUPS = 5;
const SHOWN_SMALLEST = 3;

const INDENT = '  ';

/** The common shape of the failures without a known cause, their groups, and the smallest requests that fail in the same way. */
export function unexplainedBlock(report: Report, out: Terminal, all: boolean): string {
  const { unexplained, shrunk, silent, details } = report;
  const { width, paint } = out;
  const shape = details?.sharedShape;
  const smallest = all ? shrunk : shrunk.slice(0, SHOWN_SMALLEST);
  return [
    `${paint('red', 'UNEXPLAINED')} by any known mistake`,
    ...(shape
      ? [wrapped(`shape of all ${shape.answers} answers: ${describeShape(shape)}`, width, INDENT)]
      : []),
    ...groupLines(report, width, all),
    ...(shrunk.length === 0 ? exampleLines(unexplained, report, out) : []),
    ...smallest.flatMap((one) => shrunkLines(one, out)),
    ...(silent === undefined
      ? []
      : [
          wrapped(
            `the search for smaller requests stopped early, because ${escapeInvisible(silent)}`,
            width,
            INDENT,
          ),
        ]),
  ].join('\n');
}

/** A line for each group of failures. A shape that all share is already shown above. */
function groupLines({ details }: Report, width: number, all: boolean): readonly string[] {
  const groups = details?.unexplained ?? [];
  const shown = all ? groups : groups.slice(0, SHOWN_GROUPS);
  const left = groups.length - shown.length;
  return [
    ...shown.map(({ shared, outcomes }) => {
      const ids = outcomes.map(({ vector }) => vector.id);
      const what = details?.sharedShape ? '' : `: ${shared}`;
      const where = `${countFailures(ids.length)} in ${outcomes[0]?.vector.operation}`;
      return wrapped(`${where}${what}; ${someIds(ids)}`, width, INDENT);
    }),
    ...(left > 0 ? [`${INDENT}… and ${left} more groups; --all shows them`] : []),
  ];
}

/** The smallest failing request and the nearest passing one. */
function shrunkLines(
  { id, vector, verdict, claim, neighbour, besides, isDrawn }: ShrunkVector,
  out: Terminal,
): readonly string[] {
  const paragraph = (text: string): string => wrapped(text, out.width, INDENT + INDENT);
  const origin = isDrawn
    ? `drawn at random, because ${id} is already signed and cannot be made smaller`
    : `from ${id}`;
  return [
    wrapped(`smallest ${vector.operation}, ${origin}:`, out.width, INDENT),
    `${INDENT}${INDENT}${inputText(vector)}`,
    ...(claim === undefined ? [] : [paragraph(`although ${claim}`)]),
    ...(verdict.message === ''
      ? []
      : [paragraph(shorten(escapeInvisible(verdict.message), LONGEST_MESSAGE))]),
    ...(verdict.difference ? differenceLines(verdict.difference, out, INDENT + INDENT) : []),
    paragraph(neighbourSentence(neighbour, besides)),
  ];
}
