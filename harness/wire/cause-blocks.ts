/**
 * Why requests are signed wrongly, in words: a paragraph for each cause with the request that shows it best.
 *
 * @module
 */

import { certainty, type FoundCause } from '../diagnosis/diagnose.ts';
import type { Explanation } from '../diagnosis/explanation.ts';
import { othersSentence } from '../report/cause-sentences.ts';
import { causesHeading, someIds } from '../report/causes.ts';
import { harmless } from '../report/harmless.ts';
import { type Terminal, wrapped } from '../report/terminal.ts';
import type { Outcome, Run } from '../run.ts';
import type { Suite } from '../suite/vector.ts';
import { requestLines } from './request-lines.ts';

const INDENT = '  ';

/** The cause that explains most first, then what no cause explains. */
export function requestCauses(
  explanation: Explanation,
  { outcomes }: Run,
  suite: Suite,
  out: Terminal,
): string {
  const { causes, unexplained, silent } = explanation;
  if (causes.length === 0 && unexplained.length === 0) return '';
  const byId = new Map(outcomes.map((outcome) => [outcome.vector.id, outcome]));
  const shown = (ids: readonly string[]): readonly string[] => {
    const outcome = byId.get(ids[0] ?? '');
    return outcome ? shownBy(outcome, out) : [];
  };
  const blocks = [
    ...causes.map((cause) => [...causeLines(cause, suite, out), ...shown(cause.explains)]),
    ...(unexplained.length === 0
      ? []
      : [[...unexplainedLines(unexplained, silent, out), ...shown(unexplained)]]),
  ];
  const title = out.paint('bold', causesHeading(explanation, outcomes));
  return `${title}\n\n${blocks.map((lines) => `${lines.join('\n')}\n\n`).join('')}`;
}

function causeLines(
  found: FoundCause,
  suite: Suite,
  { width, paint }: Terminal,
): readonly string[] {
  const { mistake, others, explains } = found;
  const paragraph = (text: string): string => wrapped(harmless(text), width, INDENT);
  const rule = suite.rules.find(({ id }) => id === mistake.rule);
  return [
    `${paint('red', 'CAUSE')} ${paint('bold', mistake.id)}${certainty(found)}`,
    paragraph(`cause ${mistake.wrong}`),
    paragraph(`fix ${mistake.fix}`),
    ...(rule ? [paragraph(`rule ${rule.id} (${rule.level}): ${rule.text}`)] : []),
    paragraph(`explains ${someIds(explains)}`),
    ...(others.length === 0 ? [] : [paragraph(othersSentence({ others }))]),
    ...(mistake.seen === undefined ? [] : [paragraph(`seen in ${mistake.seen}`)]),
  ];
}

function unexplainedLines(
  ids: readonly string[],
  silent: string | undefined,
  { width, paint }: Terminal,
): readonly string[] {
  return [
    `${paint('red', 'UNEXPLAINED')} by any known mistake`,
    wrapped(someIds(ids), width, INDENT),
    ...(silent === undefined ? [] : [wrapped(silent, width, INDENT)]),
  ];
}

function shownBy(outcome: Outcome, out: Terminal): readonly string[] {
  return [
    wrapped(`shown by ${outcome.vector.id}:`, out.width, INDENT),
    ...requestLines(outcome, out, INDENT + INDENT),
  ];
}
