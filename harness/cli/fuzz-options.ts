/**
 * Reads the options of a fuzzing run.
 *
 * @module
 */
import { randomInt } from 'node:crypto';
import { OPERATIONS } from '../../reference/operations.ts';
import { UsageError } from '../engine/errors.ts';
import { findNearest } from '../engine/select.ts';
import { parseShard, type Shard } from '../engine/shard.ts';
import { SEEDS } from '../make/fuzz/fuzzing.ts';
import { commandOf } from './module.ts';
import { numberOption, type Parsed, textOption, textsOption } from './verb.ts';

/** The options of a run, before the adapter says which operations it has. */
export interface FuzzOptions {
  readonly command: readonly string[];
  /** The JavaScript module that the command is made for. */
  readonly module?: string;
  readonly operations: readonly string[];
  /** Also ask about requests that only advised rules refuse. */
  readonly isAdvised: boolean;
  readonly seed: number;
  readonly path?: string;
  readonly shard?: Shard;
  readonly runs: number;
  /** In seconds. */
  readonly time: number;
  /** In milliseconds. */
  readonly timeout: number;
  /** The text of the option, in seconds. */
  readonly timeoutGiven?: string;
  readonly dialect: string;
  readonly wire: string;
}

/** @throws UsageError */
export function parseFuzzOptions(given: Parsed): FuzzOptions {
  const { positionals, values } = given;
  const command = commandOf(given) ?? [];
  if (command.length === 0 || positionals.length > 0) {
    throw new UsageError('write svc-conformance fuzz [options] -- COMMAND…');
  }
  const operations = parseOperations(given);
  const path = parsePath(given, operations);
  const shard = parseFuzzShard(given);
  const time = numberOption(given, 'time', Number.POSITIVE_INFINITY);
  // With --time and without --runs, the time is the only limit.
  const isTimed = values['time'] !== undefined && values['runs'] === undefined;
  const runs = isTimed ? Number.MAX_SAFE_INTEGER : numberOption(given, 'runs');
  const [module, timeoutGiven] = ['module', 'timeout'].map((name) => textOption(given, name));
  return {
    command,
    ...(module !== undefined && { module }),
    operations,
    seed: parseSeed(given) ?? randomInt(SEEDS),
    isAdvised: parseLevel(given),
    ...(path !== undefined && { path }),
    ...(shard && { shard }),
    runs,
    time,
    timeout: 1000 * numberOption(given, 'timeout'),
    ...(timeoutGiven !== undefined && { timeoutGiven }),
    dialect: textOption(given, 'dialect') ?? 'svc',
    wire: textOption(given, 'wire') ?? 'json',
  };
}

function parseOperations(given: Parsed): readonly string[] {
  const operations = textsOption(given, 'operation');
  const unknown = operations.find((name) => !OPERATIONS[name]);
  if (unknown === undefined) return operations;
  const near = findNearest(unknown, Object.keys(OPERATIONS));
  throw new UsageError(
    `${JSON.stringify(unknown)} is not an operation; ${near === undefined ? 'see adapters/PROTOCOL.md' : `did you mean ${near}?`}`,
  );
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

/** `--shard` needs a seed; without one, each shard would draw different requests. */
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

/** The operations to ask about, in the order of the protocol. */
export function chosenOperations(
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

/** The options that a replay has to repeat. */
export function replayOptions({
  module,
  dialect,
  wire,
  timeoutGiven,
  isAdvised,
}: FuzzOptions): readonly string[] {
  return [
    ...(module === undefined ? [] : ['--module', module]),
    ...(isAdvised ? ['--level', 'advised'] : []),
    ...(dialect === 'svc' ? [] : ['--dialect', dialect]),
    ...(wire === 'json' ? [] : ['--wire', wire]),
    ...(timeoutGiven === undefined ? [] : ['--timeout', timeoutGiven]),
  ];
}
