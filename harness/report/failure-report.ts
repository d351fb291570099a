/**
 * Everything that went wrong in a run: verifiers that look at nothing, causes, shared mistakes, failures, and
 * expectations that are over.
 *
 * @module
 */
import type { Explanation } from '../diagnosis/explanation.ts';
import { dialectNamed, WRONG_DIALECT } from '../dialects.ts';
import { UNEXPLAINED } from '../expectations/expectation.ts';
import type { Run } from '../run.ts';
import { causesBlock } from './causes.ts';
import { type Accepted, acceptCommand, freshCommand } from './commands.ts';
import { failureBlocks } from './failures.ts';
import { freshBlock } from './fresh.ts';
import { saidOf } from './insight.ts';
import type { Beginning, JudgedSubject } from './reporter.ts';
import { staleBlock } from './stale.ts';
import type { Terminal } from './terminal.ts';
import { verifierReport } from './verifiers.ts';

/** @param all every failure, however many there are */
export async function failureReport(
  { subject, explanation }: JudgedSubject,
  run: Run,
  { suite, parameters, seed }: Beginning,
  out: Terminal,
  all: boolean,
): Promise<string> {
  // Of answers in a file there is nobody to run again.
  const isOver = subject.command.length === 0;
  const shown = new Set<string>();
  const accept = (accepted: Accepted): string => {
    if (isOver || isOfDialect(accepted)) return '';
    const command = acceptCommand(parameters, subject, accepted, seed);
    const text = shown.has(command) ? 'accept with the same command, above' : `accept ${command}`;
    shown.add(command);
    return `  ${out.paint('dim', text)}`;
  };
  const causeOf = new Map([
    ...(explanation?.unexplained ?? []).map((id) => [id, UNEXPLAINED] as const),
    ...[...(explanation?.causes ?? [])]
      .reverse()
      .flatMap(({ mistake, explains }) => explains.map((id) => [id, mistake.id] as const)),
  ]);
  const said = saidOf(
    explanation ?? { causes: [], unexplained: [] },
    run.outcomes,
    dialectNamed(subject.dialect),
  );
  // One command mends them all, and one by one they say nothing.
  const hidden = all ? new Set<string>() : onlyOfDialect(explanation);
  const { blind, shared } = verifierReport(
    run,
    suite,
    out,
    all,
    accept,
    explanation?.causes.map(({ mistake }) => mistake.id) ?? [],
  );
  const isOther = explanation?.causes.some(({ mistake }) => mistake.id === WRONG_DIALECT) === true;
  return (
    // A verifier of another dialect refuses everything, as it should.
    (isOther ? '' : blind) +
    (explanation ? causesBlock(explanation, run, suite, said, out, accept) : '') +
    shared +
    failureBlocks(
      run,
      suite,
      said,
      out,
      all,
      (id) => {
        const cause = causeOf.get(id);
        // The whole command once for each cause: more would bury the failures.
        return cause === undefined
          ? accept({ vector: id })
          : isOver
            ? ''
            : `  ${out.paint('dim', `accept as --cause ${cause} above`)}`;
      },
      hidden,
    ) +
    freshBlock(run, out, all, (vector, fresh) =>
      isOver ? '' : `  again ${freshCommand(parameters, subject, vector, fresh)}`,
    ) +
    staleBlock(run, out)
  );
}

function isOfDialect(accepted: Accepted): boolean {
  return typeof accepted === 'object' && 'cause' in accepted && accepted.cause === WRONG_DIALECT;
}

/** The failures that the dialect explains alone. */
function onlyOfDialect(explanation: Explanation | undefined): ReadonlySet<string> {
  const ids = (isDialect: boolean): readonly string[] =>
    (explanation?.causes ?? [])
      .filter(({ mistake }) => (mistake.id === WRONG_DIALECT) === isDialect)
      .flatMap(({ explains }) => explains);
  const others = new Set(ids(false));
  return new Set(ids(true).filter((id) => !others.has(id)));
}
