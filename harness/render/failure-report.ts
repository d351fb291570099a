/**
 * Everything that went wrong in a run, for people: blind verifiers, causes, shared mistakes, failures, stale expectations.
 *
 * @module
 */
import { WRONG_DIALECT } from '../engine/dialects.ts';
import { escapeInvisible } from '../engine/excerpt.ts';
import { UNEXPLAINED } from '../engine/judge/expectation.ts';
import type { Outcome } from '../engine/judge/outcome.ts';
import type { Report } from '../engine/report/report.ts';
import { causesBlock, sharedBlock } from './causes.ts';
import { type Accepted, acceptCommand, freshCommand } from './commands.ts';
import { differenceLines } from './difference-lines.ts';
import { failureBlocks } from './failures.ts';
import { harmless } from './harmless.ts';
import { freshSentence } from './sentences.ts';
import { type Terminal, wrapped } from './terminal.ts';

const INDENT = '  ';

/** More failures on fresh data than this are counted; `--all` shows them. */
const SHOWN_FRESH = 3;

/** @param all every failure, however many there are */
export function failureReport(report: Report, out: Terminal, all: boolean): string {
  const accept = acceptLine(report, out);
  return [
    // A verifier of another dialect refuses everything, as it should.
    report.isOtherDialect ? '' : blindBlock(report, out, accept),
    causesBlock(report, out, accept),
    sharedBlock(report, out, all, accept),
    failureBlocks(report, out, all, acceptFailure(report, out, accept)),
    freshBlock(report, out, all),
    staleBlock(report, out),
  ].join('');
}

type AcceptLine = (accepted: Accepted) => string;

/** The line that accepts failures; a command is printed once. Empty if there is no command to repeat. */
function acceptLine({ header, subject, isOtherDialect }: Report, { paint }: Terminal): AcceptLine {
  const shown = new Set<string>();
  return (accepted) => {
    const isOfDialect = isOtherDialect && typeof accepted === 'object' && 'cause' in accepted;
    if (subject.command.length === 0 || (isOfDialect && accepted.cause === WRONG_DIALECT))
      return '';
    const command = acceptCommand(header.parameters, subject, accepted, header.seed);
    const text = shown.has(command) ? 'accept with the same command, above' : `accept ${command}`;
    shown.add(command);
    return `${INDENT}${paint('dim', text)}`;
  };
}

/** The line that accepts a single failure. The command of its cause is above, because repeating it would bury the failures. */
function acceptFailure(
  { causes, unexplained, subject }: Report,
  { paint }: Terminal,
  accept: AcceptLine,
): (id: string) => string {
  const causeOf = new Map([
    ...unexplained.map((id) => [id, UNEXPLAINED] as const),
    ...[...causes]
      .reverse()
      .flatMap(({ mistake, explains }) => explains.map((id) => [id, mistake.id] as const)),
  ]);
  return (id) => {
    const cause = causeOf.get(id);
    if (cause === undefined) return accept({ vector: id });
    return subject.command.length === 0
      ? ''
      : `${INDENT}${paint('dim', `accept as --cause ${cause} above`)}`;
  };
}

/** A sentence for each verifier that accepts or refuses everything. */
function blindBlock({ details }: Report, { width, paint }: Terminal, accept: AcceptLine): string {
  return (details?.blind ?? [])
    .map(({ sentence }) => `${paint('red', wrapped(sentence, width, ''))}\n${accept('everything')}`)
    .map((block) => `${block.trimEnd()}\n\n`)
    .join('');
}

function freshBlock(report: Report, out: Terminal, all: boolean): string {
  const { fresh, freshFailures, header, subject } = report;
  const sentence = freshSentence(report);
  if (sentence === undefined || !fresh) return '';
  const shown = all ? freshFailures : freshFailures.slice(0, SHOWN_FRESH);
  const blocks = shown.map((outcome) => {
    const id = outcome.vector.id.replace(/^fresh\//, '');
    const again = `${INDENT}again ${freshCommand(header.parameters, subject, id, fresh.seed)}`;
    return [...freshLines(outcome, out), ...(subject.command.length === 0 ? [] : [again])].join(
      '\n',
    );
  });
  const left = freshFailures.length - shown.length;
  if (left > 0) blocks.push(`… and ${left} more; --all shows them`);
  const heading = out.paint('bold', wrapped(sentence, out.width, ''));
  return [heading, ...blocks].map((one) => `${one}\n\n`).join('');
}

function freshLines({ vector, verdict }: Outcome, out: Terminal): readonly string[] {
  const { message, difference, status } = verdict;
  return [
    `${out.paint('red', status.toUpperCase())} ${out.paint('bold', vector.id)}`,
    ...(message === '' ? [] : [wrapped(harmless(message), out.width, INDENT)]),
    ...(difference ? differenceLines(difference, out, INDENT) : []),
  ];
}

/** A paragraph for each stale expectation, with the lines to remove. */
export function staleBlock({ stale }: Report, { width, paint }: Terminal): string {
  return stale
    .map(({ problem, first, lines }) =>
      [
        `${paint('red', 'STALE')} ${wrapped(escapeInvisible(problem), width - 'STALE '.length, '').replaceAll('\n', '\n  ')}`,
        ...lines.map(
          (line, i) => `${INDENT}${paint('dim', `${first + i} |`)} ${escapeInvisible(line)}`,
        ),
      ].join('\n'),
    )
    .map((block) => `${block}\n\n`)
    .join('');
}
