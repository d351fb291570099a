/**
 * Asks an adapter about random requests. Loaded when `fuzz` runs, not for its help.
 *
 * @module
 */

import type { Finding } from '../engine/diagnosis/explanation.ts';
import { parseDialect } from '../engine/dialects.ts';
import { EXIT } from '../engine/errors.ts';
import { quote } from '../engine/excerpt.ts';
import { StartError } from '../engine/respondent.ts';
import { createDrafts } from '../make/fuzz/drafts.ts';
import { Explainer } from '../make/fuzz/explanation.ts';
import { checkAlive, fuzz, type Tried } from '../make/fuzz/fuzzing.ts';
import type { Investigator } from '../make/fuzz/shrinking.ts';
import { adapterCheckCommand } from '../render/commands.ts';
import { findingBlock } from '../render/finding-report.ts';
import { RestartingSession } from '../respondents/adapter/restarting-session.ts';
import { loadWire } from '../respondents/adapter/wire.ts';
import { BUNDLED, bundledSuite } from '../suite/bundle.ts';
import type { Call } from './call.ts';
import {
  chosenOperations,
  type FuzzOptions,
  parseFuzzOptions,
  replayOptions,
} from './fuzz-options.ts';
import type { Parsed } from './verb.ts';

const TIME_IS_UP = 'the time is up';

/** How long a run may exceed its time to explain its findings; in milliseconds. */
const OVERTIME = 10_000;

/** A run in progress. */
interface FuzzRun {
  readonly options: FuzzOptions;
  readonly session: RestartingSession;
  readonly call: Call;
  /** The end of the run, in milliseconds since the epoch. */
  readonly deadline: number;
}

export async function fuzzAdapter(given: Parsed, call: Call): Promise<number> {
  const options = parseFuzzOptions(given);
  const { command, timeout, time } = options;
  const deadline = Date.now() + 1000 * time;
  const dialect = parseDialect(options.dialect);
  const wire = await loadWire(options.wire);
  const session = new RestartingSession(command, dialect, timeout, wire, call.env);
  const ignore = call.onInterrupt(() => session.abort('the run was interrupted'));
  // The adapter may never answer the current question.
  const timer = Number.isFinite(time)
    ? setTimeout(() => session.abort(TIME_IS_UP), 1000 * time + OVERTIME)
    : undefined;
  try {
    return await fuzzOperations({ options, session, call, deadline });
  } finally {
    clearTimeout(timer);
    await session.close();
    ignore();
  }
}

/** Fuzzes the chosen operations, if the adapter works, and returns the exit code. */
async function fuzzOperations(run: FuzzRun): Promise<number> {
  const { options, session, call } = run;
  try {
    const { implementation, operations: offered } = await session.hello();
    const { name, version, language } = implementation;
    const title = quote(`${name} ${version} (${language})`).slice(1, -1);
    call.print(`${title} · seed ${options.seed}\n\n`);
    const operations = chosenOperations(options.operations, offered);
    const dead = await checkAlive(session, bundledSuite(), operations, options.dialect);
    if (session.stopReason !== undefined) return reportAbort(session.stopReason, call);
    return dead === undefined
      ? await findFailures(run, operations, offered)
      : reportDead(dead, run);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return session.stopReason === undefined
      ? reportDead(error.message, run)
      : reportAbort(session.stopReason, call);
  }
}

/** Prints each finding and a summary. */
async function findFailures(
  run: FuzzRun,
  operations: readonly string[],
  offered: readonly string[],
): Promise<number> {
  const { options, session, call } = run;
  const findings: Finding[] = [];
  const command = options.module === undefined ? options.command : [];
  const setting = { suite: bundledSuite(), options: replayOptions(options), command };
  const tried = await fuzz(
    createInvestigator(run, offered),
    { ...options, operations },
    {
      found: (finding) => {
        call.print(findingBlock(finding, findings, setting, call.terminal));
        findings.push(finding);
      },
      progress: (count, found) => call.showProgress(`${count} requests · ${found} findings`),
    },
  );
  call.print(summarize(tried, operations.length, findings.length, session));
  const { stopReason } = session;
  if (stopReason !== undefined && stopReason !== TIME_IS_UP) return reportAbort(stopReason, call);
  return findings.length > 0 ? EXIT.failures : EXIT.asExpected;
}

function createInvestigator(
  { options, session, deadline }: FuzzRun,
  offered: readonly string[],
): Investigator {
  const dialect = parseDialect(options.dialect);
  const circumstances = { dialect, operations: offered, isAdvised: options.isAdvised };
  const explainer = new Explainer(dialect, BUNDLED);
  const drafts = createDrafts(circumstances);
  return { session, circumstances, explainer, drafts, timeout: options.timeout, deadline };
}

function summarize(
  { count, left }: Tried,
  operations: number,
  findings: number,
  { asked, unsupported }: RestartingSession,
): string {
  const about = `${operations} ${operations === 1 ? 'operation' : 'operations'}`;
  const found = `${findings} ${findings === 1 ? 'finding' : 'findings'}`;
  return [
    `${count} requests about ${about} · ${asked} questions · ${found}\n`,
    unsupported > 0 ? `${unsupported} questions were unsupported\n` : '',
    left.length > 0 ? `stopped early, after repeated failures: ${left.join(', ')}\n` : '',
  ].join('');
}

function reportDead(why: string, { options, call }: FuzzRun): number {
  const check = adapterCheckCommand(options);
  call.print(`the adapter never worked: ${why}\ncheck its messages: ${check}\n`);
  return EXIT.neverWorked;
}

function reportAbort(why: string, call: Call): number {
  call.print(`aborted: ${why}\n`);
  return EXIT.aborted;
}
