/**
 * The problems of a run, for people: verifiers that accept or refuse everything, causes, shared mistakes, failures, stale expectations.
 *
 * @module
 */
import { WRONG_DIALECT } from '../engine/dialects.ts';
import { escapeInvisible, formatCount, shorten } from '../engine/excerpt.ts';
import { type Outcome, UNEXPLAINED } from '../engine/judge/outcome.ts';
import type { SharedMistake } from '../engine/judge/verifiers.ts';
import type { Report } from '../engine/report/report.ts';
import { type Accept, causesBlock } from './causes.ts';
import { acceptCommand, runCommand, sharedFix } from './commands.ts';
import { answerLines, failureBlocks } from './failures.ts';
import { harmless } from './harmless.ts';
import { adviceSentences, freshSentence, othersSentence, sharedSentence } from './sentences.ts';
import { filled, INDENT, showSome, type Terminal, toBlocks, toLines } from './terminal.ts';

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

/** The command that accepts failures. Empty without a command to repeat, or if the report already shows it. */
function acceptLine({ header, subject, isOtherDialect }: Report, { paint }: Terminal): Accept {
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
  accept: Accept,
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
function blindBlock({ details }: Report, { paint, wrap }: Terminal, accept: Accept): string {
  const blind = details?.blind ?? [];
  return toBlocks(
    blind.map(({ sentence }) => toLines(paint('red', wrap(sentence, '')), accept('everything'))),
  );
}

function freshBlock(report: Report, out: Terminal, all: boolean): string {
  const { fresh, freshUncaused, header, subject } = report;
  const sentence = freshSentence(report);
  if (sentence === undefined || !fresh) return '';
  const show = (outcome: Outcome): string => {
    const id = outcome.vector.id.replace(/^fresh\//, '');
    const again = `${INDENT}again ${runCommand(header.parameters, subject, id, fresh.seed)}`;
    const lines = answerLines(outcome, outcome.vector.id, out);
    return toLines(lines, subject.command.length > 0 && again).join('\n');
  };
  const heading = out.paint('bold', out.wrap(sentence, ''));
  const most = all ? freshUncaused.length : SHOWN_FRESH;
  return toBlocks([heading, ...showSome(freshUncaused, most, show)]);
}

/** A line for each stale expectation; with `--all`, the lines to remove. */
export function staleBlock({ stale }: Report, { paint }: Terminal, all: boolean): string {
  const lines = stale.flatMap(({ problem, first, lines: removed }) => [
    `${paint('red', 'STALE')} ${escapeInvisible(problem)}`,
    ...(all ? removed : []).map(
      (line, i) => `${INDENT}${paint('dim', `${first + i} |`)} ${escapeInvisible(line)}`,
    ),
  ]);
  return toBlocks(lines.length === 0 ? [] : [lines]);
}

/** Further shared mistakes are only counted; `--all` shows them. */
const SHOWN_SHARED = 10;

/** Longer requests are cut; in characters. */
const LONGEST_REQUEST = 600;

/** A line for each mistake of requests that verifiers accept, or a paragraph with `--all`. */
function sharedBlock(report: Report, out: Terminal, all: boolean, accept: Accept): string {
  const shared = report.details?.shared ?? [];
  if (shared.length === 0) return '';
  if (all) {
    return toBlocks(
      shared.map((one) => toLines(sharedLines(one, report, out), accept({ cause: causeOf(one) }))),
    );
  }
  const lines = showSome(
    shared,
    SHOWN_SHARED,
    (one) => sharedHeading(one, out),
    '',
    ({ length }) => `${length} more shared mistakes`,
  );
  return toBlocks([toLines(lines, accept({ cause: shared.map(causeOf) }))]);
}

/** A sentence for the forged requests of each verifier that were not judged, if nothing else says why the run fails. */
function unjudgedBlock({ details }: Report, { paint, width }: Terminal, accept: Accept): string {
  const unjudged = details?.unjudged ?? [];
  if (unjudged.length === 0) return '';
  const lines = unjudged.map(({ operation, status, message, count }) => {
    const what = `${formatCount(count, 'request')} to ${operation}: ${status}`;
    return filled(`${paint('red', 'FORGED')} ${harmless(`${what}; ${message}`)}`, width, '');
  });
  return toBlocks([toLines(lines, accept({ cause: UNEXPLAINED }))]);
}

function causeOf({ mistakes }: SharedMistake): string {
  const [mistake] = mistakes;
  if (!mistake) throw new Error('an accepted forgery names no known mistake; run npm run build');
  return mistake.id;
}

function sharedHeading(one: SharedMistake, { paint, width }: Terminal): string {
  return filled(`${paint('red', 'FORGED')} ${sharedSentence(one)}`, width, '');
}

function sharedLines(one: SharedMistake, report: Report, out: Terminal): readonly string[] {
  const [mistake, ...others] = one.mistakes;
  const [request] = one.accepted;
  const input = request && shorten(JSON.stringify(request.input), LONGEST_REQUEST);
  const sentences = toLines(
    mistake && adviceSentences({ ...mistake, fix: sharedFix(one) }, report.header.suite),
    others.length > 0 && othersSentence({ others }),
    request && `request of ${request.vector}: ${input}`,
  );
  return [sharedHeading(one, out), ...sentences.map((sentence) => out.wrap(sentence))];
}
