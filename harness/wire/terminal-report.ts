/**
 * The report about a client that people read: causes, failures, operations, and a verdict in one line.
 *
 * @module
 */
import { EXIT } from '../errors.ts';
import { harmless } from '../report/harmless.ts';
import type { Beginning, JudgedSubject, Reporter } from '../report/reporter.ts';
import { staleBlock } from '../report/stale.ts';
import { countLines } from '../report/summary.ts';
import { type Terminal, wrapped } from '../report/terminal.ts';
import { verdictSentence } from '../report/verdict-sentence.ts';
import type { Run } from '../run.ts';
import { requestCauses } from './cause-blocks.ts';
import { failuresBlock } from './failures.ts';
import { othersBlock } from './others.ts';

/** @param all every request that is listed, however many there are */
export function wireReport(out: Terminal, all: boolean): Reporter {
  let beginning: Beginning | undefined;
  return {
    begun(begun) {
      beginning = begun;
      const count = begun.vectors.length;
      const dialect = begun.subjects[0]?.dialect ?? '';
      return `svc-conformance ${begun.suite.version} · ${count} ${count === 1 ? 'request' : 'requests'} in the dialect ${dialect}\n\n`;
    },
    judged(judged) {
      const { run, explanation } = judged;
      if (!run || !beginning) return '';
      return (
        (explanation ? requestCauses(explanation, run, beginning.suite, out) : '') +
        failuresBlock(run, explanation, out, all) +
        staleBlock(run, out) +
        othersBlock(run, out, all) +
        clientBlock(judged, run, out)
      );
    },
    ended: (ending) => {
      const style = ending.exitCode === EXIT.asExpected ? 'green' : 'red';
      return `${out.paint(style, verdictSentence(ending, 'client'))}\n`;
    },
  };
}

/** The client, its operations, and how many requests ended how. */
function clientBlock({ subject }: JudgedSubject, run: Run, out: Terminal): string {
  const { paint, width } = out;
  const note = (text: string): string => paint('yellow', wrapped(harmless(text), width, '  '));
  const lines = [
    paint('bold', harmless(subject.name)),
    ...operationLines(run),
    ...(run.outcomes.length === 0 ? [] : [countLines(run, out).trimEnd()]),
    ...(subject.ended === undefined ? [] : [`  the client ${subject.ended}`]),
    ...(run.neverWorked === undefined ? [] : [note(`nothing to judge: ${run.neverWorked}`)]),
    ...(run.over === undefined ? [] : [note(`the run ended before its end: ${run.over}`)]),
  ];
  return `${lines.join('\n')}\n\n`;
}

/** `PutFile  3 pass · 1 fail`. */
function operationLines({ outcomes }: Run): readonly string[] {
  const operations = [...new Set(outcomes.map(({ vector }) => vector.operation))];
  const longest = Math.max(0, ...operations.map(({ length }) => length));
  return operations.map((operation) => {
    const statuses = outcomes
      .filter(({ vector }) => vector.operation === operation)
      .map(({ verdict, known }) => (known ? 'known failure' : verdict.status));
    const counts = [...new Set(statuses)].map(
      (status) => `${statuses.filter((one) => one === status).length} ${status}`,
    );
    return `  ${harmless(operation).padEnd(longest)} ${counts.join(' · ')}`;
  });
}
