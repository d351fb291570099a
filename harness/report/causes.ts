/**
 * The mistakes behind the failures of a run, in words.
 *
 * @module
 */

import type { Dialect } from '../adapter/messages.ts';
import { certainty, type FoundCause } from '../diagnosis/diagnose.ts';
import type { Explanation } from '../diagnosis/explanation.ts';
import { deducedDifference } from '../diagnosis/insight.ts';
import { UNEXPLAINED } from '../expectations/expectation.ts';
import type { ShrunkVector } from '../fuzz/shrunk-vector.ts';
import type { Difference } from '../judge/difference.ts';
import { controlOf, type Outcome, type Run } from '../run.ts';
import type { Suite } from '../suite/vector.ts';
import { isFailure } from '../verdict.ts';
import { besideSentence } from './beside-sentence.ts';
import { othersSentence } from './cause-sentences.ts';
import { type Accepted, withAccept } from './commands.ts';
import { differenceLines } from './difference-lines.ts';
import { visibleWithin } from './excerpt.ts';
import { type Said, sharedShapeLines } from './insight.ts';
import { type Terminal, wrapped } from './terminal.ts';

/** More ids than this are counted. */
const SHOWN_IDS = 3;

const INDENT = '  ';

/** A paragraph for each cause, the one that explains most first, then what stays unexplained; empty where no answer was wrong. */
export function causesBlock(
  explanation: Explanation,
  { outcomes }: Run,
  suite: Suite,
  said: Said,
  out: Terminal,
  accept: (accepted: Accepted) => string,
): string {
  const { causes, unexplained } = explanation;
  if (causes.length === 0 && unexplained.length === 0) return '';
  const byId = new Map(outcomes.map((outcome) => [outcome.vector.id, outcome]));
  const blocks = causes.map((cause) =>
    withAccept(
      causeBlock(cause, byId, { suite, dialect: said.dialect }, out),
      accept({ cause: cause.mistake.id }),
    ),
  );
  const rest =
    unexplained.length === 0
      ? []
      : [
          withAccept(
            unexplainedBlock(explanation, byId, said, out),
            accept({ cause: UNEXPLAINED }),
          ),
        ];
  const title = out.paint('bold', causesHeading(explanation, outcomes));
  return `${title}\n\n${[...blocks, ...rest].map((block) => `${block}\n\n`).join('')}`;
}

/** What was no answer at all, such as a crash, counts as a failure that no cause explains. */
export function causesHeading(
  { causes, unexplained }: Explanation,
  outcomes: readonly Outcome[],
): string {
  const explained = new Set(causes.flatMap(({ explains }) => explains));
  for (const id of unexplained) explained.delete(id);
  const failed = outcomes.filter(isFailure).map(({ vector }) => vector.id);
  const all = new Set([...explained, ...unexplained, ...failed]).size;
  const failures = `${all} ${all === 1 ? 'failure' : 'failures'}`;
  if (causes.length === 0)
    return `no known mistake explains ${all === 1 ? 'the failure' : `any of ${failures}`}`;
  const known = causes.length === 1 ? '1 cause explains' : `${causes.length} causes explain`;
  return explained.size === all
    ? `${known} ${failures}`
    : `${known} ${explained.size} of ${failures}`;
}

/** The first of many ids. */
export function someIds(ids: readonly string[]): string {
  const shown = ids.slice(0, SHOWN_IDS).join(', ');
  return ids.length > SHOWN_IDS ? `${shown} and ${ids.length - SHOWN_IDS} more` : shown;
}

function causeBlock(
  found: FoundCause,
  byId: ReadonlyMap<string, Outcome>,
  { suite, dialect }: { readonly suite: Suite; readonly dialect: Dialect },
  out: Terminal,
): string {
  const { width, paint } = out;
  const { mistake, confidence, within, explains } = found;
  const { id, wrong, fix, rule: ruleId, seen } = mistake;
  const rule = suite.rules.find((candidate) => candidate.id === ruleId);
  const paragraph = (text: string): string => wrapped(text, width, INDENT);
  return [
    `${paint('red', 'CAUSE')} ${paint('bold', id)}${certainty(found)}`,
    paragraph(`cause ${wrong}`),
    paragraph(`fix ${fix}`),
    paragraph(`rule ${ruleId} (${rule?.level}): ${rule?.text}`),
    ...(within === undefined ? [] : [paragraph(`made in ${within.join(' and ')}, not elsewhere`)]),
    paragraph(`explains ${someIds(explains)}`),
    ...(confidence === 'one of' ? [paragraph(othersSentence(found))] : []),
    ...(seen === undefined ? [] : [paragraph(`seen in ${seen}`)]),
    ...smallest(explains, byId, out, (outcome) => deduced(outcome, mistake, dialect)),
  ].join('\n');
}

/** The smallest vector that shows a cause, what is wrong there, and what was signed instead where that can be deduced. */
function smallest(
  ids: readonly string[],
  byId: ReadonlyMap<string, Outcome>,
  out: Terminal,
  deduce: (outcome: Outcome) => Difference | undefined = () => undefined,
): readonly string[] {
  const [id = ''] = ids;
  const outcome = byId.get(id);
  const difference = outcome?.verdict.difference;
  if (!difference) return [];
  const signed = deduce(outcome);
  const { toSign, ...seen } = difference;
  const indent = INDENT + INDENT;
  return [
    wrapped(`shown by ${id}:`, out.width, INDENT),
    ...differenceLines(signed ? seen : difference, out, indent),
    ...(signed
      ? differenceLines(
          { ...signed, ...(toSign !== undefined && { toSign }) },
          out,
          indent,
          AS_DEDUCED,
        )
      : []),
  ];
}

const AS_DEDUCED = ', as the digest shows';

function deduced(
  outcome: Outcome,
  mistake: FoundCause['mistake'],
  dialect: Dialect,
): Difference | undefined {
  const { vector, verdict } = outcome;
  const { control } = vector;
  const answered = control ? { ...controlOf(vector), expect: control.expect } : vector;
  return verdict.difference && deducedDifference(answered, verdict.difference, [mistake], dialect);
}

function unexplainedBlock(
  { unexplained, shrunk, silent }: Explanation,
  byId: ReadonlyMap<string, Outcome>,
  said: Said,
  out: Terminal,
): string {
  const { width, paint } = out;
  return [
    `${paint('red', 'UNEXPLAINED')} by any known mistake`,
    ...sharedShapeLines(said, width),
    wrapped(someIds(unexplained), width, INDENT),
    ...(shrunk.length === 0 ? smallest(unexplained, byId, out) : []),
    ...shrunk.flatMap((one) => shrunkLines(one, out)),
    ...(silent === undefined
      ? []
      : [wrapped(`not made smaller to the end, because ${visibleWithin(silent)}`, width, INDENT)]),
  ].join('\n');
}

/** A smallest request, what is wrong about its answer, and what is right beside it. */
function shrunkLines(
  { id, failure: { vector, verdict, claim }, beside, isDrawn }: ShrunkVector,
  out: Terminal,
): readonly string[] {
  const paragraph = (text: string): string => wrapped(text, out.width, INDENT + INDENT);
  const origin = isDrawn
    ? `drawn, because ${id} is signed and cannot be made smaller`
    : `from ${id}`;
  return [
    wrapped(`smallest ${vector.operation}, ${origin}:`, out.width, INDENT),
    `${INDENT}${INDENT}input ${visibleWithin(JSON.stringify(vector.input))}`,
    ...(claim === undefined ? [] : [paragraph(`although ${claim}`)]),
    ...(verdict.message === '' ? [] : [paragraph(visibleWithin(verdict.message))]),
    ...(verdict.difference ? differenceLines(verdict.difference, out, INDENT + INDENT) : []),
    paragraph(besideSentence(beside.neighbour, beside.asked)),
  ];
}
