/**
 * The requests that are not as they should be, a few lines each.
 *
 * @module
 */
import type { Explanation } from '../diagnosis/explanation.ts';
import { WRONG_DIALECT } from '../dialects.ts';
import { harmless } from '../report/harmless.ts';
import { type Terminal, wrapped } from '../report/terminal.ts';
import type { Outcome, Run } from '../run.ts';
import { isFailure } from '../verdict.ts';
import { requestLine } from './request-lines.ts';

/** More failures than this are counted, not shown; `--all` shows them. */
const SHOWN = 20;

const INDENT = '  ';

export function failuresBlock(
  { outcomes }: Run,
  explanation: Explanation | undefined,
  out: Terminal,
  all: boolean,
): string {
  // One option mends them all, and one by one they say nothing.
  const hidden = new Set(
    (explanation?.causes ?? [])
      .filter(({ mistake }) => mistake.id === WRONG_DIALECT)
      .flatMap(({ explains }) => explains),
  );
  const failures = outcomes.filter((one) => isFailure(one) && (all || !hidden.has(one.vector.id)));
  const causesOf = (id: string): readonly string[] =>
    (explanation?.causes ?? [])
      .filter(({ explains }) => explains.includes(id))
      .map(({ mistake }) => mistake.id);
  const shown = all ? failures : failures.slice(0, SHOWN);
  const blocks = shown.map((outcome) => block(outcome, causesOf(outcome.vector.id), out));
  const left = failures.length - shown.length;
  if (left > 0) blocks.push(`… and ${left} more; --all shows them`);
  return blocks.map((one) => `${one}\n\n`).join('');
}

function block(outcome: Outcome, causes: readonly string[], { width, paint }: Terminal): string {
  const { vector, verdict, sent, otherwise } = outcome;
  const paragraph = (text: string): string => wrapped(harmless(text), width, INDENT);
  return [
    `${paint('red', verdict.status.toUpperCase())} ${paint('bold', harmless(vector.id))}`,
    ...(sent ? [paragraph(requestLine(outcome))] : []),
    ...(otherwise === undefined ? [] : [paragraph(`known otherwise: ${otherwise}`)]),
    ...(causes.length === 0 ? [] : [paragraph(`cause ${causes.join(' and ')}, above`)]),
    // The cause says more than that a signature is not the right one.
    ...(causes.length === 0 && verdict.message !== '' ? [paragraph(verdict.message)] : []),
  ].join('\n');
}
