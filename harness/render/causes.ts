/**
 * The mistakes behind the failures of a run, for people.
 *
 * @module
 */
import { describeCertainty } from '../engine/diagnosis/certainty.ts';
import type { FoundCause } from '../engine/diagnosis/diagnose.ts';
import { UNEXPLAINED } from '../engine/judge/expectation.ts';
import { causePageLine } from '../engine/report/cause-page.ts';
import type { Report } from '../engine/report/report.ts';
import type { Suite } from '../engine/vector.ts';
import { type Accepted, withAccept } from './commands.ts';
import { exampleLines } from './example-lines.ts';
import { countFailures, othersSentence } from './sentences.ts';
import { type Terminal, wrapped } from './terminal.ts';
import { unexplainedBlock } from './unexplained.ts';

const INDENT = '  ';

export type Accept = (accepted: Accepted) => string;

/**
 * A paragraph for each cause, the most frequent first, then a paragraph for the unexplained failures. Empty if no answer was wrong.
 *
 * @param all whether to show every group of unexplained failures and every smallest request
 */
export function causesBlock(report: Report, out: Terminal, all: boolean, accept: Accept): string {
  const { causes, unexplained } = report;
  if (causes.length === 0 && unexplained.length === 0) return '';
  const blocks = causes.map((cause) =>
    withAccept(causeBlock(cause, report, out), accept({ cause: cause.mistake.id })),
  );
  if (unexplained.length > 0) {
    blocks.push(withAccept(unexplainedBlock(report, out, all), accept({ cause: UNEXPLAINED })));
  }
  const title = out.paint('bold', causesHeading(report));
  return `${title}\n\n${blocks.map((block) => `${block}\n\n`).join('')}`;
}

/** How many causes explain how many failures. A failure without an answer, such as a crash, counts as unexplained. */
export function causesHeading({ causes, unexplained, failures }: Report): string {
  const explained = new Set(causes.flatMap(({ explains }) => explains));
  for (const id of unexplained) explained.delete(id);
  const failed = failures.map(({ vector }) => vector.id);
  const all = new Set([...explained, ...unexplained, ...failed]).size;
  const count = countFailures(all);
  if (causes.length === 0)
    return `no known mistake explains ${all === 1 ? 'the failure' : `any of ${count}`}`;
  const known = causes.length === 1 ? '1 cause explains' : `${causes.length} causes explain`;
  return explained.size === all ? `${known} ${count}` : `${known} ${explained.size} of ${count}`;
}

/** At most two ids after the first one, which is the example. */
function furtherIds([, ...ids]: readonly string[]): string {
  return ids.length === 0 ? '' : `, also ${ids.slice(0, 2).join(' and ')}`;
}

/** The lines about a cause of a signer, a verifier or a client. @param example the lines of the smallest example */
export function causeLines(
  found: FoundCause,
  suite: Suite,
  { width, paint }: Terminal,
  example: readonly string[],
): readonly string[] {
  const { mistake, confidence, within, explains } = found;
  const { id, wrong, fix, seen } = mistake;
  const paragraph = (text: string): string => wrapped(text, width, INDENT);
  return [
    `${paint('red', 'CAUSE')} ${paint('bold', id)}${describeCertainty(found)}`,
    paragraph(`cause ${wrong}`),
    paragraph(`fix ${fix}`),
    ...ruleLines(mistake.rule, suite, width),
    paragraph(causePageLine(id, suite)),
    ...(within === undefined ? [] : [paragraph(`only in ${within.join(' and ')}`)]),
    ...example,
    paragraph(`explains ${countFailures(explains.length)}${furtherIds(explains)}`),
    ...(confidence === 'one of' ? [paragraph(othersSentence(found))] : []),
    ...(seen === undefined ? [] : [paragraph(`seen in ${seen}`)]),
  ];
}

/** The rule that a mistake breaks. */
export function ruleLines(id: string, { rules }: Suite, width: number): readonly string[] {
  const rule = rules.find((candidate) => candidate.id === id);
  return rule ? [wrapped(`rule ${rule.id} (${rule.level}): ${rule.text}`, width, INDENT)] : [];
}

function causeBlock(found: FoundCause, report: Report, out: Terminal): string {
  const example = exampleLines(found.explains, report, out, found);
  return causeLines(found, report.header.suite, out, example).join('\n');
}
