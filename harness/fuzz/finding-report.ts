/**
 * A finding in words.
 *
 * @module
 */
import { certainty } from '../diagnosis/diagnose.ts';
import { besideSentence } from '../report/beside-sentence.ts';
import { differenceLines } from '../report/difference-lines.ts';
import { visible, visibleWithin } from '../report/excerpt.ts';
import { shellWord } from '../report/shell-word.ts';
import { type Terminal, wrapped } from '../report/terminal.ts';
import type { Suite, Vector } from '../suite/vector.ts';
import { type Finding, findingKey } from './finding.ts';
import { findingVector, vectorYaml } from './finding-vector.ts';

const INDENT = '  ';

/** What does not change from finding to finding. */
export interface Setting {
  readonly suite: Suite;
  /** The options that the replay needs as well. */
  readonly options: readonly string[];
  /** What stands after `--`; empty where the options name the adapter. */
  readonly command: readonly string[];
}

/**
 * Everything about a finding; of a cause that was shown before, only where else it shows.
 *
 * @param earlier the findings that were shown before
 */
export function findingBlock(
  finding: Finding,
  earlier: readonly Finding[],
  setting: Setting,
  out: Terminal,
): string {
  const { failure, operation } = finding;
  const { verdict, claim } = failure;
  const { width, paint } = out;
  const paragraph = (text: string): string => wrapped(text, width, INDENT);
  const heading = `${paint('red', `FOUND ${verdict.status.toUpperCase()}`)} ${paint('bold', operation)}`;
  const asked = paragraph(`asked about ${request(failure.vector)}`);
  const again = `${INDENT}again: ${replay(finding, setting)}`;
  const key = findingKey(finding.failure, finding.causes);
  const known = earlier.find((one) => findingKey(one.failure, one.causes) === key);
  if (known && finding.causes.length > 0) {
    const ids = finding.causes.map(({ mistake }) => mistake.id).join(', ');
    const same = paragraph(`cause ${ids}, as in ${known.operation}`);
    return `${[heading, asked, same, ...shownDifference(finding, out), again].join('\n')}\n\n`;
  }
  const lines = [
    heading,
    asked,
    ...causeLines(finding, setting.suite).map(paragraph),
    ...(claim === undefined ? [] : [paragraph(`although ${claim}`)]),
    ...(verdict.message === '' ? [] : [paragraph(verdict.message)]),
    ...shownDifference(finding, out),
    paragraph(neighbourSentence(finding)),
    `${INDENT}as a vector of ${failure.vector.operation}:`,
    ...vectorYaml(findingVector(finding, setting.suite))
      .trimEnd()
      .split('\n')
      .map((line) => `${INDENT}${INDENT}${line}`),
    again,
  ];
  return `${lines.join('\n')}\n\n`;
}

/** The members of the input in one line, so that what is wrong is seen before it is explained. */
function request({ input }: Vector): string {
  return Object.entries(input)
    .map(([name, value]) => `${name} ${shown(value)}`)
    .join(', ');
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (typeof value === 'string') return visible(value);
  return visibleWithin(JSON.stringify(value));
}

function causeLines({ causes, isUnstable, failure }: Finding, { rules }: Suite): readonly string[] {
  if (isUnstable)
    return [
      'asked again, it was answered rightly: the answer does not depend on the question alone',
    ];
  if (causes.length === 0) {
    const { status } = failure.verdict;
    return status === 'fail' || status === 'refused'
      ? ['unexplained: no known mistake gives this answer']
      : [];
  }
  return causes.flatMap((cause) => {
    const { mistake, others } = cause;
    const rule = rules.find(({ id }) => id === mistake.rule);
    const more = others.map(({ id }) => id).join(', ');
    return [
      `cause ${mistake.id}: ${mistake.wrong}; ${mistake.fix}${more === '' ? certainty(cause) : ` (or one of ${more})`}`,
      ...(rule ? [`rule ${rule.id} (${rule.level}): ${rule.text}`] : []),
    ];
  });
}

function shownDifference({ failure, deduced }: Finding, out: Terminal): readonly string[] {
  const difference = deduced ?? failure.verdict.difference;
  if (!difference) return [];
  return differenceLines(difference, out, INDENT, deduced ? ', as the digest shows' : '');
}

function neighbourSentence({ neighbour, besides, isUnstable }: Finding): string {
  return isUnstable ? 'it was not shrunk' : besideSentence(neighbour, besides);
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
