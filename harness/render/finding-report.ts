/**
 * A finding of `fuzz`, for people.
 *
 * @module
 */
import { describeCertainty } from '../engine/diagnosis/certainty.ts';
import { type Finding, findingKey } from '../engine/diagnosis/explanation.ts';
import { escapeInvisible, quote } from '../engine/excerpt.ts';
import { causePageLine } from '../engine/report/cause-page.ts';
import type { Suite, Vector } from '../engine/vector.ts';
import { shellWord } from './commands.ts';
import { differenceLines } from './difference-lines.ts';
import { findingVector, vectorYaml } from './finding-vector.ts';
import { neighbourSentence } from './sentences.ts';
import { type Terminal, wrapped } from './terminal.ts';

const INDENT = '  ';

/** The parts that are the same for all findings of a run. */
export interface Setting {
  readonly suite: Suite;
  /** The options that a replay has to repeat. */
  readonly options: readonly string[];
  /** The words after `--`; empty if the options name the adapter. */
  readonly command: readonly string[];
}

/**
 * The details of a finding. If its cause was shown before, only the request and the difference.
 *
 * @param earlier the findings that were already shown
 */
export function findingBlock(
  finding: Finding,
  earlier: readonly Finding[],
  setting: Setting,
  out: Terminal,
): string {
  const { operation, vector, verdict, causes } = finding;
  const { width, paint } = out;
  const paragraph: Paragraph = (text) => wrapped(text, width, INDENT);
  const key = findingKey(finding, causes);
  const known = earlier.find((one) => findingKey(one, one.causes) === key);
  const ids = causes.map(({ mistake }) => mistake.id).join(', ');
  const lines = [
    `${paint('red', `FOUND ${verdict.status.toUpperCase()}`)} ${paint('bold', operation)}`,
    paragraph(`asked about ${request(vector)}`),
    ...(known && causes.length > 0
      ? [paragraph(`cause ${ids}, as in ${known.operation}`), ...shownDifference(finding, out)]
      : newFindingLines(finding, setting.suite, out, paragraph)),
    `${INDENT}again: ${replay(finding, setting)}`,
  ];
  return `${lines.join('\n')}\n\n`;
}

/** Wraps and indents a text. */
type Paragraph = (text: string) => string;

function newFindingLines(
  finding: Finding,
  suite: Suite,
  out: Terminal,
  paragraph: Paragraph,
): readonly string[] {
  const { vector, verdict, claim, isUnstable, neighbour, besides } = finding;
  return [
    ...causeLines(finding, suite).map(paragraph),
    ...(claim === undefined ? [] : [paragraph(`although ${claim}`)]),
    ...(verdict.message === '' ? [] : [paragraph(verdict.message)]),
    ...shownDifference(finding, out),
    paragraph(isUnstable ? 'it was not shrunk' : neighbourSentence(neighbour, besides)),
    `${INDENT}as a vector of ${vector.operation}:`,
    ...vectorYaml(findingVector(finding, suite))
      .trimEnd()
      .split('\n')
      .map((line) => `${INDENT}${INDENT}${line}`),
  ];
}

/** The members of the input on one line. */
function request({ input }: Vector): string {
  return Object.entries(input)
    .map(([name, value]) => `${name} ${shown(value)}`)
    .join(', ');
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (typeof value === 'string') return quote(value);
  return escapeInvisible(JSON.stringify(value));
}

function causeLines({ causes, isUnstable, verdict }: Finding, suite: Suite): readonly string[] {
  if (isUnstable) return ['flaky: the same question passed when repeated'];
  if (causes.length === 0) {
    const { status } = verdict;
    return status === 'fail' || status === 'refused'
      ? ['unexplained: no known mistake gives this answer']
      : [];
  }
  return causes.flatMap((cause) => {
    const { mistake, others } = cause;
    const rule = suite.rules.find(({ id }) => id === mistake.rule);
    const more = others.map(({ id }) => id).join(', ');
    return [
      `cause ${mistake.id}: ${mistake.wrong}; ${mistake.fix}${more === '' ? describeCertainty(cause) : ` (or one of ${more})`}`,
      ...(rule ? [`rule ${rule.id} (${rule.level}): ${rule.text}`] : []),
      causePageLine(mistake.id, suite),
    ];
  });
}

function shownDifference({ verdict, deduced }: Finding, out: Terminal): readonly string[] {
  const difference = deduced ?? verdict.difference;
  if (!difference) return [];
  return differenceLines(difference, out, INDENT, deduced ? ', as the digest shows' : '');
}

/** The command line that shows the finding again. */
function replay({ operation, seed, path }: Finding, { options, command }: Setting): string {
  return [
    'svc-conformance fuzz',
    ...options.map(shellWord),
    `--operation ${operation} --seed ${seed} --path ${path}`,
    ...(command.length > 0 ? ['--', ...command.map(shellWord)] : []),
  ].join(' ');
}
