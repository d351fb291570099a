/**
 * The mistakes behind the failures of a run, in words.
 *
 * @module
 */
import type { Cause, Diagnosis } from '../diagnosis/diagnose.ts';
import type { Suite } from '../suite/vector.ts';
import { type Terminal, wrapped } from './terminal.ts';

/** More ids than this are counted. */
const SHOWN_IDS = 3;

/** A paragraph for each cause, the one that explains most first, then what stays unexplained; empty where no answer was wrong. */
export function causesBlock(
  { causes, unexplained }: Diagnosis,
  suite: Suite,
  { width, paint }: Terminal,
): string {
  if (causes.length === 0 && unexplained.length === 0) return '';
  const known = causes.length === 1 ? '1 cause explains' : `${causes.length} causes explain`;
  const left =
    unexplained.length === 0
      ? 'every wrong answer'
      : `all but ${unexplained.length} of the wrong answers`;
  const title =
    causes.length === 0 ? 'no known mistake explains the wrong answers' : `${known} ${left}`;
  const blocks = causes.map((cause) => causeBlock(cause, suite, width, paint));
  const rest = unexplained.length === 0 ? [] : [unexplainedBlock(unexplained, width, paint)];
  return `${paint('bold', title)}\n\n${[...blocks, ...rest].map((block) => `${block}\n\n`).join('')}`;
}

function unexplainedBlock(ids: readonly string[], width: number, paint: Terminal['paint']): string {
  const heading = paint('red', 'UNEXPLAINED');
  return `${heading} by any known mistake\n${wrapped(someIds(ids), width, '  ')}`;
}

function someIds(ids: readonly string[]): string {
  const shown = ids.slice(0, SHOWN_IDS).join(', ');
  return ids.length > SHOWN_IDS ? `${shown} and ${ids.length - SHOWN_IDS} more` : shown;
}

function causeBlock(
  { mistake, confidence, others, explains }: Cause,
  suite: Suite,
  width: number,
  paint: Terminal['paint'],
): string {
  const { id, cause, fix, rule: ruleId, seen } = mistake;
  const indent = '  ';
  const rule = suite.rules.find((candidate) => candidate.id === ruleId);
  const lines = [
    `${paint('red', 'CAUSE')} ${paint('bold', id)}${confidence === 'exact' ? '' : ' (one of several)'}`,
    wrapped(`cause ${cause}`, width, indent),
    wrapped(`fix ${fix}`, width, indent),
    wrapped(`rule ${ruleId} (${rule?.level}): ${rule?.text}`, width, indent),
    wrapped(`explains ${someIds(explains)}`, width, indent),
    ...(confidence === 'one of'
      ? [wrapped(`as well ${others.map((other) => other.cause).join('; or ')}`, width, indent)]
      : []),
    ...(seen === undefined ? [] : [wrapped(`seen in ${seen}`, width, indent)]),
  ];
  return lines.join('\n');
}
