/**
 * What the command line asks of a fuzzing run.
 *
 * @module
 */
import { randomInt } from 'node:crypto';
import { UsageError } from '../errors.ts';
import { SEEDS } from '../fuzz/fuzzing.ts';
import { OPERATIONS } from '../suite/operations.ts';
import { nearest } from '../suite/select.ts';
import { commandOf } from './module.ts';
import { numberOption, type Parsed, parsed, seedOption, textOption } from './verb.ts';

const OPTIONS = {
  module: { type: 'string' },
  seed: { type: 'string' },
  path: { type: 'string' },
  runs: { type: 'string' },
  time: { type: 'string' },
  operation: { type: 'string', multiple: true },
  level: { type: 'string', multiple: true },
  dialect: { type: 'string' },
  wire: { type: 'string' },
  timeout: { type: 'string' },
} as const;

const RUNS = 5000;
const TIMEOUT = 5;

/** What the command line asks for, before anybody knows what the adapter has. */
export interface Wish {
  readonly command: readonly string[];
  /** The JavaScript module that the command is made for. */
  readonly module?: string;
  readonly operations: readonly string[];
  /** Requests that only rules of level advised refuse count as well. */
  readonly isAdvised: boolean;
  readonly seed: number;
  readonly path?: string;
  readonly runs: number;
  /** In seconds. */
  readonly time: number;
  /** In milliseconds. */
  readonly timeout: number;
  readonly dialect: string;
  readonly wire: string;
}

/** The command line of the verb. */
export function wishIn(parameters: readonly string[]): Wish {
  const given: Parsed = parsed(parameters, OPTIONS);
  const { positionals, values } = given;
  const command = commandOf(given) ?? [];
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
  const seed = seedOption(given, SEEDS) ?? randomInt(SEEDS);
  const module = textOption(given, 'module');
  return {
    command,
    ...(module !== undefined && { module }),
    operations,
    isAdvised: isAdvisedIn(given),
    seed,
    ...(path !== undefined && { path }),
    runs,
    time,
    timeout: 1000 * numberOption(given, 'timeout', TIMEOUT),
    dialect: textOption(given, 'dialect') ?? 'svc',
    wire: textOption(given, 'wire') ?? 'json',
  };
}

/** All requests are of level must or observed but for those that only advice refuses. */
function isAdvisedIn({ values }: Parsed): boolean {
  const levels = [values['level'] ?? []].flat().map(String);
  const other = levels.find((level) => level !== 'advised');
  if (other === undefined) return levels.length > 0;
  throw new UsageError(
    `fuzz takes no --level ${other}; write --level advised to ask about what is advised, too`,
  );
}

/** The operations to ask about, in the order of the protocol. */
export function chosenOperations(
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

/** The options that a replay needs as well. */
export function replayOptions({
  module,
  dialect,
  wire,
  timeout,
  isAdvised,
}: Wish): readonly string[] {
  return [
    ...(module === undefined ? [] : ['--module', module]),
    ...(isAdvised ? ['--level', 'advised'] : []),
    ...(dialect === 'svc' ? [] : ['--dialect', dialect]),
    ...(wire === 'json' ? [] : ['--wire', wire]),
    ...(timeout === 1000 * TIMEOUT ? [] : ['--timeout', `${timeout / 1000}`]),
  ];
}
