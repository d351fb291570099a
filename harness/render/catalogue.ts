/**
 * A vector, a rule or a mistake: in full, for people; and as an object, for programs.
 *
 * @module
 */
import type { Cause } from '../../reference/mistakes/index.ts';
import { quote } from '../engine/excerpt.ts';
import type { Demonstration } from '../engine/insight/demonstration.ts';
import type { MistakeEntry, RuleEntry, SdkFailure } from '../engine/proof/catalogue.ts';
import type { Alternative, Rule, Stages, Suite, Vector } from '../engine/vector.ts';
import { differenceLines } from './difference-lines.ts';
import { INDENT, type Terminal, wrapped } from './terminal.ts';

/** Further ids or mistakes are only counted. */
const SHOWN = 10;

/** @param byHand a command that computes the answer */
export function vectorBlock(
  vector: Vector,
  byHand: string | undefined,
  { rules }: Suite,
  { width, paint }: Terminal,
): string {
  const { id, why, source, level, keys, input } = vector;
  const own = vector.rules.flatMap((name) => rules.find((rule) => rule.id === name) ?? []);
  return joinParts([
    paint('bold', id),
    wrapped(why, width),
    `  level   ${level}\n  source  ${source}`,
    ...own.map((rule) => ruleParagraph(rule, width)),
    members('keys', { ...keys }),
    members('input', input),
    ...answerParts(vector, width),
    ...(byHand === undefined ? [] : [`  by hand\n    ${byHand}`]),
  ]);
}

function joinParts(parts: readonly string[]): string {
  return parts.map((part) => `${part}\n`).join('');
}

function ruleParagraph({ id, level, text }: Rule, width: number): string {
  return wrapped(`rule ${id} (${level}): ${text}`, width);
}

function answerParts(
  { expect, refuse, control, accept = {} }: Vector,
  width: number,
): readonly string[] {
  return [
    ...(expect ? [members('expect', expect)] : []),
    ...(refuse ? [`  refuse\n    reason ${refuse.reason}${refuse.exact ? ' (exactly)' : ''}`] : []),
    ...(control
      ? [members('control: input with', control.input), members('control: expect', control.expect)]
      : []),
    ...Object.entries(accept).map(([name, answer]) => acceptedPart(name, answer, width)),
  ];
}

function acceptedPart(name: string, { because, expect, refuse }: Alternative, width: number) {
  const head = wrapped(`accept ${name}: ${because}`, width);
  return `${head}\n${expect ? memberLines(expect) : `    refused as ${refuse?.reason}`}`;
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

export function ruleBlock(entry: RuleEntry, { width, paint }: Terminal): string {
  const { rule, vectors, mistakes, sdks } = entry;
  const { id, level, text, cites = [], untested } = rule;
  const more = mistakes.map((mistake) => `${mistake.id}: ${mistake.wrong}`);
  return joinParts([
    paint('bold', id),
    wrapped(text, width),
    `  level   ${level}`,
    ...(cites.length === 0 ? [] : [`  cites   ${cites.join(', ')}`]),
    ...(untested === undefined ? [] : [wrapped(`no vector tests it: ${untested}`, width)]),
    ...listPart('vectors', vectors, `svc-conformance list --rule ${id}`, width),
    ...listPart('mistakes', more, `svc-conformance list --mistakes --rule ${id}`, width),
    ...listPart('known failures of SDKs', sdks.map(sdkSentence), undefined, width),
  ]);
}

function sdkSentence({ sdk, cause, reason }: SdkFailure): string {
  return `${sdk}: ${cause}. ${reason}`;
}

/** @param command the command that lists the rest; without it, the whole list is shown */
function listPart(
  title: string,
  all: readonly string[],
  command: string | undefined,
  width: number,
): readonly string[] {
  if (all.length === 0) return [];
  const shown = command === undefined ? all : all.slice(0, SHOWN);
  const left = all.length - shown.length;
  return [
    `  ${title} (${all.length})`,
    ...shown.map((text) => wrapped(text, width, `${INDENT}${INDENT}`)),
    ...(left > 0 ? [`    … and ${left} more: ${command}`] : []),
  ];
}

export function mistakeBlock(entry: MistakeEntry, out: Terminal): string {
  const { mistake, rule, demonstration, vectors, sdks } = entry;
  const { id, wrong, fix, seen } = mistake;
  const paragraph = (text: string): string => wrapped(text, out.width);
  return joinParts([
    out.paint('bold', id),
    paragraph(`cause ${wrong}`),
    paragraph(`fix ${fix}`),
    ...(rule ? [ruleParagraph(rule, out.width)] : []),
    ...(demonstration ? demonstrationParts(demonstration, out) : ['  no vector shows it']),
    ...listPart('vectors that catch it', vectors, `svc-conformance show --json ${id}`, out.width),
    ...listPart(
      'known failures of SDKs',
      sdks.map(({ sdk, reason }) => `${sdk}: ${reason}`),
      undefined,
      out.width,
    ),
    ...(seen === undefined ? [] : [paragraph(`seen in ${seen}`)]),
  ]);
}

/** A cause that changes no step, in paragraphs. */
export function causeBlock(
  { id, wrong, fix }: Cause,
  rule: Rule | undefined,
  out: Terminal,
): string {
  return joinParts([
    out.paint('bold', id),
    wrapped(`cause ${wrong}`, out.width),
    wrapped(`fix ${fix}`, out.width),
    ...(rule ? [ruleParagraph(rule, out.width)] : []),
  ]);
}

function demonstrationParts(
  { vector, question, difference }: Demonstration,
  out: Terminal,
): readonly string[] {
  return [
    wrapped(`shown by ${vector.id}:`, out.width),
    memberLines(question.input),
    ...differenceLines(difference, out, `${INDENT}${INDENT}`),
  ];
}

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
export function ruleEntryLine({ rule, vectors, mistakes, sdks }: RuleEntry): Line {
  return { ...ruleLine(rule), vectors, mistakes: mistakes.map(({ id }) => id), sdks };
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
