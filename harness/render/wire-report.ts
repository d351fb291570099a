/**
 * The report about a client, for people: causes, failures, operations, and a verdict in one line.
 *
 * @module
 */
import { escapeInvisible, formatCount, formatList, quote, shorten } from '../engine/excerpt.ts';
import { groupByKey } from '../engine/group-by-key.ts';
import { type Outcome, unexplainedPhrase } from '../engine/judge/outcome.ts';
import { isFailure } from '../engine/judge/summary.ts';
import type { Report } from '../engine/report/report.ts';
import { formatStatus } from '../engine/sent-request.ts';
import { causeLines, causesHeading } from './causes.ts';
import { differenceLines } from './difference-lines.ts';
import { staleBlock } from './failure-report.ts';
import { harmless } from './harmless.ts';
import { nextSteps } from './next-steps.ts';
import { createReporter, type Reporter } from './reporter.ts';
import { someIds } from './sentences.ts';
import { INDENT, labelled, showSome, type Terminal, toBlocks, toLines } from './terminal.ts';
import { countLines, verdictLine } from './terminal-report.ts';

/** Further failures are only counted; `--all` shows them. */
const SHOWN_FAILURES = 20;

/** Further requests of one status that neither passes nor fails are only counted; `--all` shows them. */
const SHOWN_OTHERS = 5;

/** Longer texts of a line are cut; in characters. */
const LONGEST = 200;

/** @param all whether to list every request */
export function wireReport(out: Terminal, all: boolean): Reporter {
  return createReporter((results) => verdictLine(results, out), {
    begin: ({ suite, vectors, subjects }) =>
      `svc-conformance ${suite.version} · ${formatCount(vectors.length, 'request')} in the dialect ${subjects[0]?.dialect ?? ''}\n\n`,
    add(report) {
      if ('notRun' in report) return '';
      return [
        causesBlock(report, out),
        failuresBlock(report, out, all),
        staleBlock(report, out, all),
        othersBlock(report, out, all),
        clientBlock(report, out),
      ].join('');
    },
  });
}

/** A paragraph for each cause with the first request that shows it, then the unexplained requests. */
function causesBlock(report: Report, out: Terminal): string {
  const { causes, unexplained, silent, outcomes, header } = report;
  if (causes.length === 0 && unexplained.length === 0) return '';
  const example = ([id]: readonly string[]): readonly string[] => {
    const outcome = outcomes.find(({ vector }) => vector.id === id);
    if (!outcome) return [];
    const heading = out.wrap(`shown by ${outcome.vector.id}:`);
    return [heading, ...requestLines(outcome, out, INDENT + INDENT)];
  };
  const blocks = causes.map((cause) => {
    const { explains } = cause;
    return causeLines(cause, header.suite, out, { id: explains[0], lines: example(explains) });
  });
  const rest = toLines(
    unexplainedPhrase(out.paint('red', 'UNEXPLAINED')),
    out.wrap(someIds(unexplained)),
    silent !== undefined && out.wrap(silent),
    example(unexplained),
  );
  const title = out.paint('bold', out.wrap(causesHeading(report), ''));
  return toBlocks([title, ...blocks, unexplained.length > 0 ? rest : []]);
}

/** A paragraph for each failure. Failures that a wrong dialect explains are left out, because one option fixes them all. */
function failuresBlock(report: Report, out: Terminal, all: boolean): string {
  const failures = all
    ? report.failures
    : report.failures.filter(({ vector }) => !report.failuresOfDialect.has(vector.id));
  const show = (outcome: Outcome): string => failureLines(outcome, report, out).join('\n');
  return toBlocks(showSome(failures, all ? failures.length : SHOWN_FAILURES, show));
}

function failureLines(
  outcome: Outcome,
  report: Report,
  { paint, wrap }: Terminal,
): readonly string[] {
  const { vector, verdict, sent, unexpectedFailure } = outcome;
  const causes = report.causes
    .filter(({ explains }) => explains.includes(vector.id))
    .map(({ mistake }) => mistake.id);
  return toLines(
    `${paint('red', verdict.status.toUpperCase())} ${paint('bold', harmless(vector.id))}`,
    sent && wrap(requestLine(outcome)),
    unexpectedFailure !== undefined && wrap(`expected a different failure: ${unexpectedFailure}`),
    causes.length > 0 && wrap(labelled('cause', `${formatList(causes)}, above`)),
    // With a cause, the message that the signature is wrong is not needed.
    causes.length === 0 && verdict.message !== '' && wrap(verdict.message),
  );
}

/** Requests that neither pass nor fail, one line each. */
function othersBlock({ outcomes }: Report, out: Terminal, all: boolean): string {
  const titled = outcomes
    .filter((outcome) => !isFailure(outcome))
    .map((outcome) => [outcome.known ? 'known failure' : outcome.verdict.status, outcome] as const)
    .filter(([title]) => title !== 'pass');
  const show = (outcome: Outcome): string => {
    const { vector, verdict, known } = outcome;
    const said = known ? known.reason : verdict.message;
    const message = verdict.status === 'pass' || said === '' ? '' : `: ${said}`;
    return out.wrap(`${vector.id} ${requestLine(outcome)}${message}`);
  };
  return toBlocks(
    [...groupByKey(titled)].map(([title, group]) => [
      out.paint('bold', title),
      ...showSome(group, all ? group.length : SHOWN_OTHERS, show, INDENT),
    ]),
  );
}

/** The client, its operations, and the counts of verdicts. */
function clientBlock(report: Report, out: Terminal): string {
  const { subject, outcomes, neverWorked, stopReason } = report;
  const note = (text: string): string => out.paint('yellow', out.wrap(text));
  const lines = toLines(
    out.paint('bold', harmless(subject.name)),
    operationLines(report),
    outcomes.length > 0 && countLines(report, out).trimEnd(),
    subject.ended !== undefined && `${INDENT}the client ${subject.ended}`,
    neverWorked !== undefined && note(`no request could be judged: ${neverWorked}`),
    stopReason !== undefined && note(`the run stopped early: ${stopReason}`),
    nextSteps(report, out).trimEnd(),
  );
  return toBlocks([lines]);
}

/** `PutFile  3 pass · 1 fail`. */
function operationLines({ outcomes }: Report): readonly string[] {
  const operations = [...new Set(outcomes.map(({ vector }) => vector.operation))];
  const longest = Math.max(0, ...operations.map(({ length }) => length));
  return operations.map((operation) => {
    const statuses = outcomes
      .filter(({ vector }) => vector.operation === operation)
      .map(({ verdict, known }) => (known ? 'known failure' : verdict.status));
    const counts = [...new Set(statuses)].map(
      (status) => `${statuses.filter((one) => one === status).length} ${status}`,
    );
    return `${INDENT}${harmless(operation).padEnd(longest)} ${counts.join(' · ')}`;
  });
}

/** `PUT http://… answered 403 -148658`. */
function requestLine({ sent }: Outcome): string {
  if (!sent) return '';
  const { method, url } = sent;
  const line = method === '' ? 'no request' : `${method} ${url}`;
  return `${shorten(escapeInvisible(line), LONGEST)} answered ${formatStatus(sent)}`;
}

/** The request, its string to sign as numbered lines, and the difference of the signatures. */
function requestLines(outcome: Outcome, out: Terminal, indent: string): readonly string[] {
  const { verdict, sent } = outcome;
  const rows = (sent?.lines ?? []).map(({ name, text, origin }, i) => [
    `${i + 1}`,
    escapeInvisible(name),
    shorten(quote(text.replace(/\n$/, '')), LONGEST),
    escapeInvisible(origin),
  ]);
  const widths = [0, 1, 2].map((column) =>
    Math.min(60, Math.max(0, ...rows.map((cells) => (cells[column] ?? '').length))),
  );
  return [
    out.wrap(requestLine(outcome), indent),
    ...(rows.length === 0 ? [] : [`${indent}string to sign`]),
    ...rows.map((cells) =>
      `${indent}${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd(),
    ),
    ...(verdict.difference ? differenceLines(verdict.difference, out, indent) : []),
  ];
}
