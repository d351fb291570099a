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
import { checkAlive, fuzz } from '../make/fuzz/fuzzing.ts';
import type { Investigator } from '../make/fuzz/shrinking.ts';
import { adapterCheckCommand } from '../render/commands.ts';
import { findingBlock } from '../render/finding-report.ts';
import { RestartingSession } from '../respondents/adapter/restarting-session.ts';
import { loadWire } from '../respondents/adapter/wire.ts';
import { BUNDLED, bundledSuite } from '../suite/bundle.ts';
import type { Call } from './call.ts';
import { chosenOperations, parseFuzzOptions, replayOptions } from './fuzz-options.ts';
import type { Parsed } from './verb.ts';

const TIME_IS_UP = 'the time is up';

/** How much longer than its time a run may take to show what it found; in milliseconds. */
const OVERTIME = 10_000;

export async function fuzzAdapter(given: Parsed, call: Call): Promise<number> {
  const options = parseFuzzOptions(given);
  const dialect = parseDialect(options.dialect);
  const deadline = Date.now() + 1000 * options.time;
  const session = new RestartingSession(
    options.command,
    dialect,
    options.timeout,
    await loadWire(options.wire),
    call.env,
  );
  const ignore = call.onInterrupt(() => session.abort('the run was interrupted'));
  // The adapter may never answer the current question.
  const timer = Number.isFinite(options.time)
    ? setTimeout(() => session.abort(TIME_IS_UP), 1000 * options.time + OVERTIME)
    : undefined;
  try {
    const suite = bundledSuite();
    const say = (text: string): void => call.print(text);
    const never = (why: string): number => {
      say(
        `the adapter never worked: ${why}\ncheck its messages: ${adapterCheckCommand(options)}\n`,
      );
      return EXIT.neverWorked;
    };
    let offered: readonly string[];
    try {
      const { implementation, operations } = await session.start();
      offered = operations;
      const { name, version, language } = implementation;
      say(`${quote(`${name} ${version} (${language})`).slice(1, -1)} · seed ${options.seed}\n\n`);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      if (session.over !== undefined) return aborted(session.over, say);
      return never(error.message);
    }
    const operations = chosenOperations(options.operations, offered);
    const dead = await checkAlive(session, suite, operations, options.dialect);
    if (session.over !== undefined) return aborted(session.over, say);
    if (dead !== undefined) return never(dead);

    const circumstances = { dialect, operations: offered, isAdvised: options.isAdvised };
    const investigator: Investigator = {
      session,
      circumstances,
      explainer: new Explainer(dialect, BUNDLED),
      drafts: createDrafts(circumstances),
      timeout: options.timeout,
      deadline,
    };
    const findings: Finding[] = [];
    const out = call.terminal;
    const line = progressLine(call);
    const command = options.module === undefined ? options.command : [];
    const setting = { suite, options: replayOptions(options), command };
    const tried = await fuzz(
      investigator,
      { ...options, operations },
      {
        found: (finding) => {
          line.clear();
          say(findingBlock(finding, findings, setting, out));
          findings.push(finding);
        },
        progress: (count, found) => line.show(`${count} requests · ${found} findings`),
      },
    );
    line.clear();
    const count = `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`;
    const summary = `${tried.count} requests about ${operations.length} ${operations.length === 1 ? 'operation' : 'operations'} · ${session.asked} questions · ${count}\n`;
    say(summary);
    if (session.unsupported > 0) {
      say(`${session.unsupported} questions were not answered, as unsupported\n`);
    }
    if (tried.left.length > 0) {
      say(`left before the end, after failures without news: ${tried.left.join(', ')}\n`);
    }
    if (session.over !== undefined && session.over !== TIME_IS_UP)
      return aborted(session.over, say);
    return findings.length > 0 ? EXIT.failures : EXIT.asExpected;
  } finally {
    clearTimeout(timer);
    await session.close();
    ignore();
  }
}

function aborted(why: string, say: (text: string) => void): number {
  say(`aborted: ${why}\n`);
  return EXIT.aborted;
}

/** On a terminal, a line that each update overwrites; elsewhere nothing. */
function progressLine({ isWatched, stderr }: Call): {
  readonly show: (text: string) => void;
  readonly clear: () => void;
} {
  if (!isWatched) return { show: () => {}, clear: () => {} };
  return {
    show: (text) => void stderr.write(`\r\u001b[K${text}`),
    clear: () => void stderr.write('\r\u001b[K'),
  };
}
