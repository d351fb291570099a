/**
 * Asks an adapter about random requests. Loaded when `fuzz` runs, not for its help.
 *
 * @module
 */
import { randomInt } from 'node:crypto';
import { OPERATIONS } from '../../reference/operations.ts';
import type { Finding } from '../engine/diagnosis/explanation.ts';
import { parseDialect } from '../engine/dialects.ts';
import { EXIT, UsageError } from '../engine/errors.ts';
import { formatCount, quote } from '../engine/excerpt.ts';
import { StartError, type Subject } from '../engine/respondent.ts';
import { entryNamed, parseShard, type Shard } from '../engine/select.ts';
import { createDrafts } from '../make/fuzz/drafts.ts';
import { Explainer } from '../make/fuzz/explanation.ts';
import { checkAlive, fuzz, type Plan, SEEDS, type Tried } from '../make/fuzz/fuzzing.ts';
import type { Investigator } from '../make/fuzz/shrinking.ts';
import { adapterCheckCommand, adapterWords } from '../render/commands.ts';
import { findingBlock } from '../render/finding-report.ts';
import { RestartingSession } from '../respondents/adapter/restarting-session.ts';
import { loadWire } from '../respondents/adapter/wire.ts';
import { BUNDLED, bundledSuite } from '../suite/bundle.ts';
import type { Call } from './call.ts';
import { subjectsOf } from './subjects.ts';
import { numberOption, type Parsed, textOption, textsOption } from './verb.ts';

const TIME_IS_UP = 'the time is up';

/** How long a run may continue after its time is up, to explain its findings; in milliseconds. */
const OVERTIME = 10_000;

interface FuzzRun {
  readonly given: Parsed;
  readonly options: FuzzOptions;
  readonly session: RestartingSession;
  readonly call: Call;
  /** The end of the run, in milliseconds since the epoch. */
  readonly deadline: number;
}

export async function fuzzAdapter(given: Parsed, call: Call): Promise<number> {
  const options = await parseFuzzOptions(given);
  const { subject, timeout, time } = options;
  if (subject.missing !== undefined) {
    call.print(`${subject.name} not run, because ${subject.missing}\n`);
    return EXIT.neverWorked;
  }
  const deadline = Date.now() + 1000 * time;
  const dialect = parseDialect(subject.dialect);
  const wire = await loadWire(subject.wire);
  const { command, folder } = subject;
  const session = new RestartingSession(command, dialect, timeout, wire, {
    env: call.io.env,
    folder,
  });
  const ignore = call.io.onInterrupt(() => session.abort('the run was interrupted'));
  // The adapter may never answer the current question.
  const timer = Number.isFinite(time)
    ? setTimeout(() => session.abort(TIME_IS_UP), 1000 * time + OVERTIME)
    : undefined;
  try {
    return await fuzzOperations({ given, options, session, call, deadline });
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
    const dead = await checkAlive(session, bundledSuite(), operations, options.subject.dialect);
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
  const { given, options, session, call } = run;
  const findings: Finding[] = [];
  const setting = { suite: bundledSuite(), words: replayWords(given, options) };
  const tried = await fuzz(
    createInvestigator(run, offered),
    { ...options, operations },
    {
      found: (finding) => {
        call.print(findingBlock(finding, findings, setting, call.terminal));
        findings.push(finding);
      },
      progress: (count, found) =>
        call.showProgress(`${formatCount(count, 'request')} · ${formatCount(found, 'finding')}`),
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
  const dialect = parseDialect(options.subject.dialect);
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
  const about = formatCount(operations, 'operation');
  const found = formatCount(findings, 'finding');
  return [
    `${formatCount(count, 'request')} about ${about} · ${asked} questions · ${found}\n`,
    unsupported > 0 ? `${unsupported} questions were unsupported\n` : '',
    left.length > 0 ? `stopped early, after repeated failures: ${left.join(', ')}\n` : '',
  ].join('');
}

function reportDead(why: string, { options, call }: FuzzRun): number {
  const check = adapterCheckCommand(options.subject);
  call.print(`the adapter never worked: ${why}\ncheck its messages: ${check}\n`);
  return EXIT.neverWorked;
}

function reportAbort(why: string, call: Call): number {
  call.print(`aborted: ${why}\n`);
  return EXIT.aborted;
}

/** The options of a run, before the adapter says which operations it has. */
interface FuzzOptions extends Plan {
  readonly subject: Subject;
  /** Also ask about requests that only advised rules refuse. */
  readonly isAdvised: boolean;
  /** In seconds. */
  readonly time: number;
  /** In milliseconds. */
  readonly timeout: number;
}

async function parseFuzzOptions(given: Parsed): Promise<FuzzOptions> {
  const { values } = given;
  const subject = await parseSubject(given);
  const operations = parseOperations(given);
  const path = parsePath(given, operations);
  const shard = parseFuzzShard(given);
  const time =
    values['time'] === undefined ? Number.POSITIVE_INFINITY : numberOption(given, 'time');
  // With --time and without --runs, the time is the only limit.
  const isTimed = values['time'] !== undefined && values['runs'] === undefined;
  const runs = isTimed ? Number.MAX_SAFE_INTEGER : numberOption(given, 'runs');
  return {
    subject,
    operations,
    seed: parseSeed(given) ?? randomInt(SEEDS),
    isAdvised: parseLevel(given),
    ...(path !== undefined && { path }),
    ...(shard && { shard }),
    runs,
    time,
    timeout: 1000 * numberOption(given, 'timeout'),
  };
}

/** The only adapter that the command line names. */
async function parseSubject(given: Parsed): Promise<Subject> {
  const { command, values, positionals } = given;
  const isNamed = [command, values['module'], values['adapter']].some((one) => one !== undefined);
  const subjects = isNamed && positionals.length === 0 ? await subjectsOf(given) : [];
  const [subject] = subjects;
  if (subject && subjects.length === 1) return subject;
  throw new UsageError(
    'fuzz takes one adapter; write svc-conformance fuzz [options] -- COMMAND…, or name it with --adapter or --module',
  );
}

function parseOperations(given: Parsed): readonly string[] {
  const operations = textsOption(given, 'operation');
  for (const name of operations) {
    const problem = `${JSON.stringify(name)} is not an operation`;
    entryNamed(OPERATIONS, name, problem, 'see adapters/PROTOCOL.md');
  }
  return operations;
}

function parsePath(given: Parsed, operations: readonly string[]): string | undefined {
  const path = textOption(given, 'path');
  if (path === undefined) return undefined;
  if (!/^[0-9]+(?::[0-9]+)*$/.test(path)) {
    throw new UsageError(`--path ${JSON.stringify(path)} is not a path; copy it from a report`);
  }
  if (operations.length !== 1 || given.values['seed'] === undefined) {
    throw new UsageError('--path needs --seed and one --operation; copy all three from the report');
  }
  return path;
}

/** `--shard` needs a seed: without one, each shard would choose its own, and the shards would not be parts of one run. */
function parseFuzzShard(given: Parsed): Shard | undefined {
  const text = textOption(given, 'shard');
  if (text === undefined) return undefined;
  if (given.values['seed'] === undefined || given.values['path'] !== undefined) {
    throw new UsageError(
      '--shard needs a --seed that is the same for all shards, and cannot be combined with --path',
    );
  }
  return parseShard(text);
}

function parseSeed(given: Parsed): number | undefined {
  const text = textOption(given, 'seed');
  if (text === undefined) return undefined;
  if (/^[0-9]{1,10}$/.test(text) && Number(text) < SEEDS) return Number(text);
  throw new UsageError(
    `--seed ${JSON.stringify(text)} is not a seed; write an integer below ${SEEDS}`,
  );
}

/** Whether to also ask about requests that only advised rules refuse. */
function parseLevel(given: Parsed): boolean {
  const levels = textsOption(given, 'level');
  const other = levels.find((level) => level !== 'advised');
  if (other === undefined) return levels.length > 0;
  throw new UsageError(
    `fuzz takes no --level ${other}; write --level advised to also ask about advised rules`,
  );
}

/** The operations to ask about. @throws UsageError if the adapter does not offer them */
function chosenOperations(
  wanted: readonly string[],
  offered: readonly string[],
): readonly string[] {
  const absent = wanted.find((name) => !offered.includes(name));
  if (absent !== undefined) {
    throw new UsageError(
      `the adapter does not offer ${absent}; it offers ${offered.join(', ') || 'no operation'}`,
    );
  }
  // In the order of the protocol, so that a seed draws the same requests whatever order the adapter lists.
  const chosen = Object.keys(OPERATIONS).filter((name) =>
    (wanted.length > 0 ? wanted : offered).includes(name),
  );
  if (chosen.length === 0)
    throw new UsageError(
      'the adapter offers no operation of the protocol; list them in its reply to hello',
    );
  return chosen;
}

/** The words of a command line that a replay has to repeat: first the options, then the adapter. */
function replayWords(given: Parsed, { subject, isAdvised }: FuzzOptions): readonly string[] {
  const timeout = textOption(given, 'timeout');
  const { dialect, wire, module, isBundled, folderGiven } = subject;
  const manifestNamesWire = isBundled || folderGiven !== undefined;
  return [
    ...(isAdvised ? ['--level', 'advised'] : []),
    ...(dialect === 'svc' ? [] : ['--dialect', dialect]),
    ...(wire === 'json' || manifestNamesWire ? [] : ['--wire', wire]),
    ...(timeout === undefined ? [] : ['--timeout', timeout]),
    ...(module === undefined ? [] : ['--module', module]),
    ...adapterWords(subject),
  ];
}
