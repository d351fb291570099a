/**
 * The report that people read: causes, failures, counts, and a verdict in one line.
 *
 * @module
 */
import type { Subject } from '../adapter/subject.ts';
import { EXIT } from '../errors.ts';
import type { Run } from '../run.ts';
import { exitCode, internalErrorIn } from '../verdict.ts';
import { adapterCheckCommand } from './commands.ts';
import {
  type Beginning,
  type Ending,
  kindOf,
  type Reporter,
  type SubjectKind,
} from './reporter.ts';
import { censusBlock, countLines, implementationName } from './summary.ts';
import { type Terminal, wrapped } from './terminal.ts';
import { unaskedSentences } from './unasked.ts';
import { verdictSentence } from './verdict-sentence.ts';

/** @param all every failure, and the answers to open questions */
export function terminalReport(out: Terminal, all: boolean): Reporter {
  let beginning: Beginning | undefined;
  return {
    begun(begun) {
      beginning = begun;
      return `${title(begun)}\n\n`;
    },
    async judged(judged) {
      const { subject, run } = judged;
      if (!run || !beginning) return notRun(subject, out);
      const counts = `${countsBlock(subject, run, out)}`;
      const census = all ? censusBlock(run, out) : '';
      if (exitCode(run) === EXIT.asExpected) return census + counts;
      const { failureReport } = await import('./failure-report.ts');
      return (await failureReport(judged, run, beginning, out, all)) + census + counts;
    },
    ended: (ending) => `${verdictLine(ending, beginning ? kindOf(beginning) : 'adapter', out)}\n`,
  };
}

function title({ suite: { version, vectors: all }, vectors, seed, freshCount }: Beginning): string {
  const count =
    vectors.length === all.length
      ? `${all.length} vectors`
      : `${vectors.length} of ${all.length} vectors`;
  const fresh = seed === undefined ? '' : ` · ${freshCount} on fresh data, --seed ${seed}`;
  return `svc-conformance ${version} · ${count}${fresh}`;
}

function notRun({ name, missing }: Subject, { width, paint }: Terminal): string {
  return `${paint('bold', name)}\n${wrapped(`not run, because ${missing}`, width, '  ')}\n\n`;
}

/** Who was asked, how many vectors ended how, and what else is to be known of the run. */
function countsBlock(subject: Subject, done: Run, out: Terminal): string {
  const heading = out.paint('bold', implementationName(done, subject.name));
  const dialect = subject.dialect === 'svc' ? '' : ` in the dialect ${subject.dialect}`;
  if (done.neverWorked !== undefined) {
    const what = subject.kind === 'server' ? 'server' : 'adapter';
    const text = `the ${what} never worked: ${done.neverWorked}`;
    // Not wrapped: it is there to be copied.
    const check =
      subject.command.length === 0 ? '' : `\n  check its messages: ${adapterCheckCommand(subject)}`;
    return `${heading}${dialect}\n${out.paint('red', wrapped(text, out.width, '  '))}${check}\n\n`;
  }
  const internalError = internalErrorIn(done);
  const notes = [
    ...(internalError === undefined ? [] : [internalError]),
    ...(done.notes ?? []),
    ...(done.banner > 0
      ? [
          `${done.banner} lines before the reply to hello were no messages; write banners to standard error`,
        ]
      : []),
    ...(done.over === undefined ? [] : [`the run ended before its end: ${done.over}`]),
    ...unaskedSentences(done),
  ];
  return (
    `${heading}${dialect}\n${countLines(done, out)}` +
    `${notes.map((note) => `${out.paint('yellow', wrapped(note, out.width, '  '))}\n`).join('')}\n`
  );
}

function verdictLine(ending: Ending, kind: SubjectKind, { paint }: Terminal): string {
  const style = ending.exitCode === EXIT.asExpected ? 'green' : 'red';
  return paint(style, verdictSentence(ending, kind));
}
