/**
 * Requests that neither pass nor fail, in one line each.
 *
 * @module
 */
import { harmless } from '../report/harmless.ts';
import { type Terminal, wrapped } from '../report/terminal.ts';
import type { Outcome, Run } from '../run.ts';
import { isFailure } from '../verdict.ts';
import { requestLine } from './request-lines.ts';

/** More of a kind than this are counted; `--all` shows them. */
const SHOWN = 5;

export function othersBlock({ outcomes }: Run, out: Terminal, all: boolean): string {
  const groups = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const title = titleOf(outcome);
    if (title !== undefined) groups.set(title, [...(groups.get(title) ?? []), outcome]);
  }
  return [...groups]
    .map(([title, group]) => {
      const shown = all ? group : group.slice(0, SHOWN);
      const left = group.length - shown.length;
      return [
        out.paint('bold', title),
        ...shown.map((outcome) => line(outcome, out)),
        ...(left > 0 ? [`  … and ${left} more; --all shows them`] : []),
      ];
    })
    .map((lines) => `${lines.join('\n')}\n\n`)
    .join('');
}

/** What the request is listed under; nothing of one that is plainly right, and of a failure. */
function titleOf(outcome: Outcome): string | undefined {
  const { verdict, known } = outcome;
  if (isFailure(outcome)) return undefined;
  if (known) return 'known failure';
  return verdict.status === 'pass' ? undefined : verdict.status;
}

function line(outcome: Outcome, { width }: Terminal): string {
  const { vector, verdict, known } = outcome;
  const said = known ? known.reason : verdict.message;
  const message = verdict.status === 'pass' || said === '' ? '' : `: ${said}`;
  return wrapped(harmless(`${vector.id} ${requestLine(outcome)}${message}`), width, '  ');
}
