/**
 * The problems of a run, for people: verifiers that accept or refuse everything, causes, shared mistakes, failures, stale expectations.
 *
 * @module
 */
import { WRONG_DIALECT } from '../engine/dialects.ts';
import { escapeInvisible, formatCount, shorten } from '../engine/excerpt.ts';
import { type Outcome, UNEXPLAINED } from '../engine/judge/outcome.ts';
import type { SharedMistake } from '../engine/judge/verifiers.ts';
import { causePageLine } from '../engine/report/cause-page.ts';
import type { Report } from '../engine/report/report.ts';
import { type Accept, causesBlock, ruleLines } from './causes.ts';
import { type Accepted, acceptCommand, runCommand, withAccept } from './commands.ts';
import { differenceLines } from './difference-lines.ts';
import { failureBlocks } from './failures.ts';
import { harmless } from './harmless.ts';
import { freshSentence, othersSentence } from './sentences.ts';
import { INDENT, type Terminal, wrapped } from './terminal.ts';

/** Further failures on fresh data are only counted; `--all` shows them. */
const SHOWN_FRESH = 1;

/** @param all whether to show every failure */
export function failureReport(report: Report, out: Terminal, all: boolean): string {
  const accept = acceptLine(report, out);
  return [
    // A verifier of another dialect refuses everything, as it should.
    report.isOtherDialect ? '' : blindBlock(report, out, accept),
    causesBlock(report, out, all, accept),
    sharedBlock(report, out, all, accept),
    unjudgedBlock(report, out, accept),
    failureBlocks(report, out, all, acceptFailures(report, out, accept)),
    freshBlock(report, out, all),
    staleBlock(report, out, all),
  ].join('');
}

type AcceptLine = (accepted: Accepted) => string;

/** The command that accepts failures. Empty without a command to repeat, or if the report already shows it. */
function acceptLine({ header, subject, isOtherDialect }: Report, { paint }: Terminal): AcceptLine {
  const shown = new Set<string>();
  return (accepted) => {
    const isOfDialect = isOtherDialect && typeof accepted === 'object' && 'cause' in accepted;
    if (subject.command.length === 0 || (isOfDialect && accepted.cause === WRONG_DIALECT))
      return '';
    const command = acceptCommand(header.parameters, subject, accepted, header.seed);
    if (shown.has(command)) return '';
    shown.add(command);
    return `${INDENT}${paint('dim', `accept ${command}`)}`;
  };
}

/** The last line of a group of failures: the name of their cause if a paragraph above explains it, or else the command that accepts them. */
function acceptFailures(
  { causes, unexplained }: Report,
  { paint }: Terminal,
  accept: AcceptLine,
): (ids: readonly string[]) => string {
  const isUnexplained = new Set(unexplained);
  return (ids) => {
    const [id = ''] = ids;
    const names = causes.filter(({ explains }) => explains.includes(id));
    const above = isUnexplained.has(id) ? [UNEXPLAINED] : names.map(({ mistake }) => mistake.id);
    if (above.length === 0) return accept({ vectors: ids });
    return `${INDENT}${paint('dim', `cause ${above.join(' and ')}, above`)}`;
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
    const again = `${INDENT}again ${runCommand(header.parameters, subject, id, fresh.seed)}`;
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
    ...(message === '' ? [] : [wrapped(harmless(message), out.width)]),
    ...(difference ? differenceLines(difference, out) : []),
  ];
}

/** A line for each stale expectation; with `--all`, the lines to remove. */
export function staleBlock({ stale }: Report, { paint }: Terminal, all: boolean): string {
  const lines = stale.flatMap(({ problem, first, lines: removed }) => [
    `${paint('red', 'STALE')} ${escapeInvisible(problem)}`,
    ...(all ? removed : []).map(
      (line, i) => `${INDENT}${paint('dim', `${first + i} |`)} ${escapeInvisible(line)}`,
    ),
  ]);
  return lines.length === 0 ? '' : `${lines.join('\n')}\n\n`;
}

/** Further shared mistakes are only counted; `--all` shows them. */
const SHOWN_SHARED = 10;

/** Longer requests are cut; in characters. */
const LONGEST_REQUEST = 600;

/** A line for each mistake that verifiers share with signers, or a paragraph with `--all`. */
function sharedBlock(report: Report, out: Terminal, all: boolean, accept: Accept): string {
  const shared = report.details?.shared ?? [];
  if (shared.length === 0) return '';
  if (all) {
    const blocks = shared.map((one) =>
      withAccept(sharedLines(one, report, out).join('\n'), accept({ cause: causeOf(one) })),
    );
    return blocks.map((block) => `${block}\n\n`).join('');
  }
  const lines = shared.slice(0, SHOWN_SHARED).map((one) => sharedHeading(one, out));
  const left = shared.length - lines.length;
  if (left > 0) lines.push(`… and ${left} more shared mistakes; --all shows them`);
  // The commands of the causes above also accept their forged requests.
  const further = shared.map(causeOf).filter((cause) => !isCauseOf(report, cause));
  const [cause = ''] = further;
  if (cause !== '') lines.push(accept(further.length === 1 ? { cause } : 'everything'));
  return `${lines.filter((line) => line !== '').join('\n')}\n\n`;
}

/** A sentence for the forged requests of each verifier that were not judged, if nothing else says why the run fails. */
function unjudgedBlock({ details }: Report, { width, paint }: Terminal, accept: Accept): string {
  const unjudged = details?.unjudged ?? [];
  if (unjudged.length === 0) return '';
  const lines = unjudged.map(({ operation, status, message, count }) => {
    const what = `${formatCount(count, 'request')} to ${operation}: ${status}`;
    return wrapped(`${paint('red', 'FORGED')} ${what}; ${harmless(message)}`, width, '');
  });
  return `${[...lines, accept('everything')].filter((line) => line !== '').join('\n')}\n\n`;
}

function causeOf({ mistakes }: SharedMistake): string {
  const [mistake] = mistakes;
  if (!mistake) throw new Error('an accepted forgery names no known mistake; run npm run build');
  return mistake.id;
}

function isCauseOf({ causes }: Report, id: string): boolean {
  return causes.some(({ mistake }) => mistake.id === id);
}

function sharedHeading(one: SharedMistake, { paint }: Terminal): string {
  const { operations, mistakes } = one;
  const accept = `${operations.join(' and ')} ${operations.length === 1 ? 'accepts' : 'accept'}`;
  return `${paint('red', 'FORGED')} ${accept} a request signed with ${paint('bold', causeOf(one))}${mistakes.length === 1 ? '' : ' (or a similar mistake)'}`;
}

function sharedLines(one: SharedMistake, report: Report, out: Terminal): readonly string[] {
  const [mistake, ...others] = one.mistakes;
  const line = (text: string): string => wrapped(text, out.width);
  const heading = sharedHeading(one, out);
  if (!mistake || isCauseOf(report, mistake.id))
    return [heading, line('the cause above; the verifier shares the mistake')];
  const [request] = one.accepted;
  return [
    heading,
    line(`cause ${mistake.wrong}; the verifier shares the mistake`),
    line(`fix ${mistake.fix}`),
    ...ruleLines(mistake.rule, report.header.suite, out.width),
    line(causePageLine(mistake.id, report.header.suite)),
    ...(others.length === 0 ? [] : [line(othersSentence({ others }))]),
    ...(request
      ? [
          line(
            `request of ${request.vector}: ${shorten(JSON.stringify(request.input), LONGEST_REQUEST)}`,
          ),
        ]
      : []),
  ];
}
