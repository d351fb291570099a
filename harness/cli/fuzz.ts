/**
 * `fuzz`: an adapter asked about requests that nobody wrote down.
 *
 * @module
 */
import { randomInt } from 'node:crypto';
import { StartError } from '../adapter/session.ts';
import { dialectNamed } from '../dialects.ts';
import { EXIT, UsageError } from '../errors.ts';
import { draftsOf } from '../fuzz/drafts.ts';
import { Explainer } from '../fuzz/explanation.ts';
import type { Finding } from '../fuzz/finding.ts';
import { findingBlock } from '../fuzz/finding-report.ts';
import { fuzz, SEEDS } from '../fuzz/fuzzing.ts';
import { Interview } from '../fuzz/interview.ts';
import type { Investigator } from '../fuzz/investigation.ts';
import { silence } from '../fuzz/sign-of-life.ts';
import { visible } from '../report/excerpt.ts';
import { terminal } from '../report/terminal.ts';
import { bundledSuite } from '../suite/bundle.ts';
import { ContentFolder } from '../suite/content.ts';
import { OPERATIONS } from '../suite/operations.ts';
import { nearest } from '../suite/select.ts';
import { numberOption, type Parsed, parsed, textOption, type Verb } from './verb.ts';

const OPTIONS = {
  seed: { type: 'string' },
  path: { type: 'string' },
  runs: { type: 'string' },
  time: { type: 'string' },
  operation: { type: 'string', multiple: true },
  dialect: { type: 'string' },
  timeout: { type: 'string' },
} as const;

const RUNS = 5000;
const TIMEOUT = 5;

const TIME_IS_UP = 'the time is up';

/** How much longer than its time a run may take to show what it found; in milliseconds. */
const OVERTIME = 10_000;

/** What the command line asks for, before anybody knows what the adapter has. */
interface Wish {
  readonly command: readonly string[];
  readonly operations: readonly string[];
  readonly seed: number;
  readonly path?: string;
  readonly runs: number;
  /** In seconds. */
  readonly time: number;
  /** In milliseconds. */
  readonly timeout: number;
  readonly dialect: string;
}

export const fuzzVerb: Verb = async (parameters) => {
  const wish = wishOf(parsed(parameters, OPTIONS));
  const dialect = dialectNamed(wish.dialect);
  const deadline = Date.now() + 1000 * wish.time;
  const interview = new Interview(wish.command, dialect, wish.timeout);
  const contents = new ContentFolder();
  const interrupt = (): void => interview.abort('the run was interrupted');
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  // A question may be under way that nobody answers.
  const timer = Number.isFinite(wish.time)
    ? setTimeout(() => interview.abort(TIME_IS_UP), 1000 * wish.time + OVERTIME)
    : undefined;
  try {
    const suite = bundledSuite();
    const say = (text: string): void => void process.stdout.write(text);
    const never = (why: string): number => {
      say(`the adapter never worked: ${why}; try it with \`svc-conformance adapter check\`\n`);
      return EXIT.neverWorked;
    };
    let offered: readonly string[];
    try {
      const { implementation, operations } = await interview.start();
      offered = operations;
      const { name, version, language } = implementation;
      say(`${visible(`${name} ${version} (${language})`).slice(1, -1)} · seed ${wish.seed}\n\n`);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      if (interview.over !== undefined) return aborted(interview.over, say);
      return never(error.message);
    }
    const operations = chosenOperations(wish.operations, offered);
    const dead = await silence(interview, suite, operations, wish.dialect, contents);
    if (interview.over !== undefined) return aborted(interview.over, say);
    if (dead !== undefined) return never(dead);

    const circumstances = { dialect, operations: offered };
    const investigator: Investigator = {
      interview,
      circumstances,
      contents,
      explainer: new Explainer(dialect, contents),
      drafts: draftsOf(circumstances),
      timeout: wish.timeout,
      deadline,
    };
    const findings: Finding[] = [];
    const out = terminal(process.stdout, process.env);
    const line = progressLine();
    const setting = { suite, options: replayOptions(wish), command: wish.command };
    const tried = await fuzz(
      investigator,
      { ...wish, operations },
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
    const summary = `${tried.count} requests about ${operations.length} ${operations.length === 1 ? 'operation' : 'operations'} · ${interview.asked} questions · ${count}\n`;
    say(summary);
    if (interview.unsupported > 0) {
      say(`${interview.unsupported} questions were not answered, as unsupported\n`);
    }
    if (tried.left.length > 0) {
      say(`left before the end, after failures without news: ${tried.left.join(', ')}\n`);
    }
    if (interview.over !== undefined && interview.over !== TIME_IS_UP)
      return aborted(interview.over, say);
    return findings.length > 0 ? EXIT.failures : EXIT.asExpected;
  } finally {
    clearTimeout(timer);
    await interview.close();
    contents.remove();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
};

function aborted(why: string, say: (text: string) => void): number {
  say(`aborted: ${why}\n`);
  return EXIT.aborted;
}

function wishOf(given: Parsed): Wish {
  const { command = [], positionals, values } = given;
  if (command.length === 0 || positionals.length > 0) {
    throw new UsageError('write svc-conformance fuzz [options] -- COMMAND…');
  }
  const operations = [values['operation'] ?? []].flat().map(String);
  for (const name of operations) {
    if (OPERATIONS[name]) continue;
    const near = nearest(name, Object.keys(OPERATIONS));
    throw new UsageError(
      `${JSON.stringify(name)} is no operation; ${near === undefined ? 'see adapters/PROTOCOL.md' : `did you mean ${near}?`}`,
    );
  }
  const path = textOption(given, 'path');
  if (path !== undefined) {
    if (!/^[0-9]+(?::[0-9]+)*$/.test(path)) {
      throw new UsageError(`--path ${JSON.stringify(path)} is not a path; copy it from a report`);
    }
    if (operations.length !== 1 || values['seed'] === undefined) {
      throw new UsageError('--path needs the --seed and the one --operation that it belongs to');
    }
  }
  const time = numberOption(given, 'time', Number.POSITIVE_INFINITY);
  // A time given and no number means as many as the time allows.
  const runs = numberOption(
    given,
    'runs',
    values['time'] === undefined ? RUNS : Number.MAX_SAFE_INTEGER,
  );
  if (!Number.isInteger(runs) || runs < 1) {
    throw new UsageError(`--runs ${runs} is not a count; write 1 or more`);
  }
  const seed = numberOption(given, 'seed', randomInt(SEEDS));
  if (!Number.isInteger(seed) || seed >= SEEDS) {
    throw new UsageError(`--seed ${seed} is not a seed; write an integer below ${SEEDS}`);
  }
  return {
    command,
    operations,
    seed,
    ...(path !== undefined && { path }),
    runs,
    time,
    timeout: 1000 * numberOption(given, 'timeout', TIMEOUT),
    dialect: textOption(given, 'dialect') ?? 'svc',
  };
}

function chosenOperations(
  wanted: readonly string[],
  offered: readonly string[],
): readonly string[] {
  const absent = wanted.find((name) => !offered.includes(name));
  if (absent !== undefined) {
    throw new UsageError(`the adapter has no ${absent}; it has ${offered.join(', ') || 'nothing'}`);
  }
  // In the order of the protocol, so that a seed means the same whatever order the adapter lists.
  const chosen = Object.keys(OPERATIONS).filter((name) =>
    (wanted.length > 0 ? wanted : offered).includes(name),
  );
  if (chosen.length === 0)
    throw new UsageError('the adapter has none of the operations of the protocol');
  return chosen;
}

function replayOptions({ dialect, timeout }: Wish): readonly string[] {
  return [
    ...(dialect === 'svc' ? [] : ['--dialect', dialect]),
    ...(timeout === 1000 * TIMEOUT ? [] : ['--timeout', `${timeout / 1000}`]),
  ];
}

/** A line that is written over, on a terminal; nothing anywhere else. */
function progressLine(): { readonly show: (text: string) => void; readonly clear: () => void } {
  const { stderr } = process;
  if (!stderr.isTTY || !process.stdout.isTTY) return { show: () => {}, clear: () => {} };
  return {
    show: (text) => void stderr.write(`\r\u001b[K${text}`),
    clear: () => void stderr.write('\r\u001b[K'),
  };
}
