/**
 * The questions on fresh data that failed, in words.
 *
 * @module
 */
import type { Outcome, Run } from '../run.ts';
import { isFailure } from '../verdict.ts';
import { withAccept } from './commands.ts';
import { differenceLines } from './difference-lines.ts';
import { harmless } from './harmless.ts';
import { type Terminal, wrapped } from './terminal.ts';

/** More failures than this are counted, not shown; `--all` shows them. */
const SHOWN = 3;

/** What failures on fresh data mean; nothing without failures. */
export function freshSentence({ fresh }: Run): string | undefined {
  const outcomes = fresh?.outcomes ?? [];
  const failed = outcomes.filter(isFailure).length;
  if (failed === 0) return undefined;
  const what = `${failed} of ${outcomes.length} questions on fresh data failed, although the adapter passes the vectors that they are made from`;
  return `${what}: it may replay recorded answers, or its answer depends on the data in a way that no vector shows`;
}

/** @param again the line that asks one of them again, by the id of its vector and the seed */
export function freshBlock(
  run: Run,
  out: Terminal,
  all: boolean,
  again: (vector: string, seed: number) => string,
): string {
  const sentence = freshSentence(run);
  if (sentence === undefined || !run.fresh) return '';
  const { seed, outcomes } = run.fresh;
  const failures = outcomes.filter(isFailure);
  const shown = all ? failures : failures.slice(0, SHOWN);
  const blocks = shown.map((outcome) =>
    withAccept(block(outcome, out), again(vectorId(outcome), seed)),
  );
  const left = failures.length - shown.length;
  if (left > 0) blocks.push(`… and ${left} more; --all shows them`);
  const heading = out.paint('bold', wrapped(sentence, out.width, ''));
  return [heading, ...blocks].map((one) => `${one}\n\n`).join('');
}

/** The vector that a question on fresh data is made from. */
function vectorId({ vector }: Outcome): string {
  return vector.id.replace(/^fresh\//, '');
}

function block({ vector, verdict }: Outcome, out: Terminal): string {
  const { message, difference, status } = verdict;
  return [
    `${out.paint('red', status.toUpperCase())} ${out.paint('bold', vector.id)}`,
    ...(message === '' ? [] : [wrapped(harmless(message), out.width, '  ')]),
    ...(difference ? differenceLines(difference, out, '  ') : []),
  ].join('\n');
}
