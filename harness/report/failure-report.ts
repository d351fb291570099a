/**
 * Everything that went wrong in a run: verifiers that look at nothing, causes, shared mistakes, failures, and
 * expectations that are over.
 *
 * @module
 */
import { UNEXPLAINED } from '../expectations/expectation.ts';
import type { Run } from '../run.ts';
import { type Accepted, acceptCommand } from './accept-command.ts';
import { causesBlock } from './causes.ts';
import { failureBlocks } from './failures.ts';
import type { Beginning, JudgedSubject } from './reporter.ts';
import { staleBlock } from './stale.ts';
import type { Terminal } from './terminal.ts';
import { verifierReport } from './verifiers.ts';

/** @param all every failure, however many there are */
export async function failureReport(
  { subject, explanation }: JudgedSubject,
  run: Run,
  { suite, parameters }: Beginning,
  out: Terminal,
  all: boolean,
): Promise<string> {
  // Of answers in a file there is nobody to run again.
  const isOver = subject.command.length === 0;
  const accept = (accepted: Accepted): string =>
    isOver ? '' : `  ${out.paint('dim', `accept ${acceptCommand(parameters, subject, accepted)}`)}`;
  const causeOf = new Map([
    ...(explanation?.unexplained ?? []).map((id) => [id, UNEXPLAINED] as const),
    ...[...(explanation?.causes ?? [])]
      .reverse()
      .flatMap(({ mistake, explains }) => explains.map((id) => [id, mistake.id] as const)),
  ]);
  const { blind, shared } = verifierReport(
    run,
    suite,
    out,
    all,
    accept,
    explanation?.causes.map(({ mistake }) => mistake.id) ?? [],
  );
  return (
    blind +
    (explanation ? causesBlock(explanation, run, suite, out, accept) : '') +
    shared +
    failureBlocks(run, suite, out, all, (id) => {
      const cause = causeOf.get(id);
      // The whole command once for each cause: more would bury the failures.
      return cause === undefined
        ? accept({ vector: id })
        : isOver
          ? ''
          : `  ${out.paint('dim', `accept as --cause ${cause} above`)}`;
    }) +
    staleBlock(run, out)
  );
}
