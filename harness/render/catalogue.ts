/**
 * A vector, a rule or a mistake: in full, for people; and as an object, for programs.
 *
 * @module
 */
import type { Cause } from '../../reference/mistakes/index.ts';
import { quote } from '../engine/excerpt.ts';
import { ANSWER, type Demonstration } from '../engine/insight/demonstration.ts';
import type { Difference } from '../engine/judge/comparison.ts';
import type { MistakeEntry, RuleEntry } from '../engine/proof/catalogue.ts';
import type { Rule, Stages, Suite, Vector } from '../engine/vector.ts';
import { differenceLines } from './difference-lines.ts';
import { ruleSentence } from './sentences.ts';
import { INDENT, labelled, type Part, type Terminal, toLines } from './terminal.ts';

/** Further ids or mistakes are only counted. */
const SHOWN = 10;

/** @param byHand a command that computes the answer */
export function vectorBlock(
  vector: Vector,
  byHand: string | undefined,
  { rules }: Suite,
  { paint, wrap }: Terminal,
): string {
  const { id, why, source, level, keys, input, expect, refuse, control, accept = {} } = vector;
  const own = vector.rules.flatMap((name) => rules.find((rule) => rule.id === name) ?? []);
  return joinParts(
    paint('bold', id),
    wrap(why),
    `  level   ${level}\n  source  ${source}`,
    own.map((rule) => wrap(ruleSentence(rule))),
    members('keys', { ...keys }),
    members('input', input),
    expect && members('expect', expect),
    refuse && `  refuse\n    reason ${refuse.reason}${refuse.exact ? ' (exactly)' : ''}`,
    control && members('control: input with', control.input),
    control && members('control: expect', control.expect),
    Object.entries(accept).flatMap(([name, answer]) => [
      wrap(`accept ${name}: ${answer.because}`),
      answer.expect ? memberLines(answer.expect) : `    refused as ${answer.refuse?.reason}`,
    ]),
    byHand !== undefined && `  by hand\n    ${byHand}`,
  );
}

function joinParts(...parts: readonly Part[]): string {
  return `${toLines(...parts).join('\n')}\n`;
}

function members(title: string, values: Stages): string {
  return `  ${title}\n${memberLines(values)}`;
}

/** A line for each member. Signed texts are quoted, so that each stays on one line and shows every byte. */
function memberLines(values: Stages): string {
  const longest = Math.max(0, ...Object.keys(values).map((name) => name.length));
  const lines = Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'string' ? quote(value) : JSON.stringify(value);
    return `    ${name.padEnd(longest)} ${text}`;
  });
  return lines.join('\n');
}

export function ruleBlock(entry: RuleEntry, out: Terminal): string {
  const { rule, vectors, mistakes, generated, sdks, steps, python } = entry;
  const { id, level, text, cites = [], untested } = rule;
  const more = mistakes.map((mistake) => `${mistake.id}: ${mistake.wrong}`);
  const failures = sdks.map(({ sdk, cause, reason }) => `${sdk}: ${cause}. ${reason}`);
  return joinParts(
    out.paint('bold', id),
    out.wrap(text),
    `  level   ${level}`,
    cites.length > 0 && `  cites   ${cites.join(', ')}`,
    steps.length > 0 && out.wrap(`steps   ${steps.join(', ')}, in reference/signing`),
    python.length > 0 && out.wrap(`python  ${python.join(', ')}, in adapters/python`),
    untested !== undefined && out.wrap(`no vector tests it: ${untested}`),
    listPart('vectors', vectors, out, `svc-conformance list --rule ${id}`),
    listPart('mistakes', more, out, `svc-conformance list --mistakes --rule ${id}`),
    generated > 0 &&
      `  generated mistakes (${generated}): svc-conformance list --mistakes '*/*' --rule ${id}`,
    listPart('known failures of SDKs', failures, out),
  );
}

/** @param command the command that lists the rest; without it, the whole list is shown */
function listPart(
  title: string,
  all: readonly string[],
  { wrap }: Terminal,
  command?: string,
): readonly string[] {
  if (all.length === 0) return [];
  const shown = command === undefined ? all : all.slice(0, SHOWN);
  const left = all.length - shown.length;
  return toLines(
    `  ${title} (${all.length})`,
    shown.map((text) => wrap(text, INDENT + INDENT)),
    left > 0 && `    … and ${left} more: ${command}`,
  );
}

export function mistakeBlock(entry: MistakeEntry, out: Terminal): string {
  const { mistake, rule, demonstration, vectors, sdks } = entry;
  const { id, seen } = mistake;
  const failures = sdks.map(({ sdk, reason }) => `${sdk}: ${reason}`);
  return joinParts(
    causeParts(mistake, rule, out),
    demonstration ? demonstrationParts(demonstration, out) : '  no vector shows it',
    listPart('vectors that catch it', vectors, out, `svc-conformance show --json ${id}`),
    listPart('known failures of SDKs', failures, out),
    seen !== undefined && out.wrap(`seen in ${seen}`),
  );
}

/** A cause that changes no step, in paragraphs. */
export function causeBlock(cause: Cause, rule: Rule | undefined, out: Terminal): string {
  return joinParts(causeParts(cause, rule, out));
}

function causeParts(
  { id, wrong, fix }: Cause,
  rule: Rule | undefined,
  { paint, wrap }: Terminal,
): readonly string[] {
  return toLines(
    paint('bold', id),
    wrap(labelled('cause', wrong)),
    wrap(labelled('fix', fix)),
    rule && wrap(ruleSentence(rule)),
  );
}

function demonstrationParts(
  { vector, question, difference }: Demonstration,
  out: Terminal,
): readonly string[] {
  return [
    out.wrap(`shown by ${vector.id}:`),
    memberLines(question.input),
    ...(difference.stage === ANSWER
      ? verdictLines(difference, out)
      : differenceLines(difference, out, INDENT + INDENT)),
  ];
}

/** Verdicts are no texts of which a character differs. */
const verdictLines = ({ expected, actual }: Difference, { wrap }: Terminal): readonly string[] => [
  wrap(`expected  ${expected}`, INDENT + INDENT),
  wrap(`actual    ${actual}`, INDENT + INDENT),
];

type Line = object;

/** A vector as `list` prints it. */
export function vectorLine({ id, operation, level, rules, why }: Vector): Line {
  return { type: 'vector', id, operation, level, rules, why };
}

/** A rule as `list` prints it. */
export function ruleLine({ id, level, text, cites, untested }: Rule): Line {
  return { type: 'rule', id, level, text, cites, untested };
}

/** A mistake as `list` prints it. */
export function mistakeLine({ id, rule, wrong, fix, seen, once }: Cause): Line {
  return { type: 'mistake', id, rule, cause: wrong, fix, seen, once };
}

/** A cause that changes no step, as `show` prints it. */
export function causeLine({ id, rule, wrong, fix }: Cause): Line {
  return { type: 'cause', id, rule, cause: wrong, fix };
}

/** A vector as `show` prints it. */
export function vectorEntryLine(vector: Vector, byHand: string | undefined): Line {
  return { type: 'vector', ...vector, byHand };
}

/** A rule as `show` prints it. */
export function ruleEntryLine({ rule, mistakes, ...more }: RuleEntry): Line {
  return { ...ruleLine(rule), mistakes: mistakes.map(({ id }) => id), ...more };
}

/** A mistake as `show` prints it. */
export function mistakeEntryLine({ mistake, demonstration, vectors, sdks }: MistakeEntry): Line {
  return { ...mistakeLine(mistake), example: exampleLine(demonstration), vectors, sdks };
}

function exampleLine(demonstration: MistakeEntry['demonstration']): Line | undefined {
  if (!demonstration) return undefined;
  const { vector, question, difference } = demonstration;
  const { stage, expected, actual, at } = difference;
  const { operation, keys, input } = question;
  return { vector: vector.id, operation, keys, input, stage, correct: expected, wrong: actual, at };
}
