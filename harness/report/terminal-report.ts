/**
 * The report that people read: causes, failures, counts, and a verdict in one line.
 *
 * @module
 */
import type { Subject } from '../adapter/subject.ts';
import { EXIT } from '../errors.ts';
import type { Run } from '../run.ts';
import type { Suite } from '../suite/vector.ts';
import { exitCode } from '../verdict.ts';
import { causesBlock } from './causes.ts';
import type { Beginning, Ending, Reporter } from './reporter.ts';
import { censusBlock, countLines, failureBlocks, implementationName } from './summary.ts';
import { type Terminal, wrapped } from './terminal.ts';

/** @param all every failure, and the answers to open questions */
export function terminalReport(out: Terminal, all: boolean): Reporter {
  let suite: Suite | undefined;
  return {
    begun(beginning) {
      suite = beginning.suite;
      return `${title(beginning)}\n\n`;
    },
    async judged({ subject, run, explanation }) {
      if (!run || !suite) return notRun(subject, out);
      const counts = await reported(subject, run, suite, out, all);
      if (exitCode(run) === EXIT.asExpected) return counts;
      const { verifierReport } = await import('./verifiers.ts');
      const { blind, shared } = await verifierReport(
        run,
        suite,
        out,
        all,
        explanation?.causes.map(({ mistake }) => mistake.id) ?? [],
      );
      const causes = explanation ? causesBlock(explanation, run, suite, out) : '';
      return blind + causes + shared + counts;
    },
    ended: (ending) => `${verdictLine(ending, out)}\n`,
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

async function reported(
  subject: Subject,
  done: Run,
  suite: Suite,
  out: Terminal,
  all: boolean,
): Promise<string> {
  const heading = out.paint('bold', implementationName(done, subject.name));
  const dialect = subject.dialect === 'svc' ? '' : ` in the dialect ${subject.dialect}`;
  if (done.neverWorked !== undefined) {
    const text = `the adapter never worked: ${done.neverWorked}; try it with \`svc-conformance adapter check\``;
    return `${heading}${dialect}\n${out.paint('red', wrapped(text, out.width, '  '))}\n\n`;
  }
  const notes = [
    ...(done.banner > 0
      ? [
          `${done.banner} lines before the reply to hello were no messages; write banners to standard error`,
        ]
      : []),
    ...(done.stale ?? []),
    ...(done.over === undefined ? [] : [`the run ended before its end: ${done.over}`]),
  ];
  return (
    `${await failureBlocks(done, suite, out, all ? Number.POSITIVE_INFINITY : undefined)}` +
    (all ? censusBlock(done, out) : '') +
    `${heading}${dialect}\n${countLines(done, out)}` +
    `${notes.map((note) => `${out.paint('yellow', wrapped(note, out.width, '  '))}\n`).join('')}\n`
  );
}

function verdictLine({ exitCode, missing }: Ending, { paint }: Terminal): string {
  const note =
    missing === 0 ? '' : ` (${missing} ${missing === 1 ? 'adapter' : 'adapters'} not run)`;
  switch (exitCode) {
    case EXIT.asExpected:
      return paint('green', `all as expected${note}`);
    case EXIT.failures:
      return paint('red', `conformance failures${note}`);
    case EXIT.neverWorked:
      return paint('red', `an adapter never worked${note}`);
    case EXIT.aborted:
      return paint('red', `aborted: not every question was asked${note}`);
    default:
      return paint(
        'red',
        `nothing was judged: no adapter that runs here has an operation that the vectors are about${note}`,
      );
  }
}
