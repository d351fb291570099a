/**
 * `run`: asks adapters about vectors and judges the answers.
 *
 * @module
 */
import { LIMITS } from '../respondents/adapter/manifest.ts';
import { ADAPTER_OPTIONS } from './adapter-options.ts';
import { openReports, REPORT_OPTIONS } from './reports.ts';
import { createJob, runJob } from './run-job.ts';
import { ID, listVectorIds, QUESTION_OPTIONS, SHARD } from './selection.ts';
import { flagOption, type Options, VERDICT_EXIT_CODES, type Verb } from './verb.ts';

/** The options of `run` and `accept`: the adapter, the questions, the limits. */
export const RUN_OPTIONS: Options = {
  ...QUESTION_OPTIONS,
  ...ADAPTER_OPTIONS,
  jobs: {
    type: 'count',
    short: 'j',
    value: 'N',
    help: 'processes of the adapter that share the questions, at most 256 (default: jobs in adapter.json, or 1)',
  },
  forged: {
    type: 'flag',
    help: 'send forged requests also to the verifiers of this repository, and in a run over some vectors. Without it, only your own verifiers receive them, in every run over all vectors',
  },
  'no-fresh': {
    type: 'flag',
    help: 'ask nothing on fresh data. By default, a run repeats a few of the passed vectors with other key pairs, names and contents, which recorded answers fail; the data depends only on the versions of the suite and of the adapter',
  },
  seed: { type: 'count', value: 'N', help: 'use the fresh data of another run' },
  fresh: {
    type: 'flag',
    value: '[SEED]',
    help: 'ask every vector on fresh data; SEED uses the data of another run',
  },
  expectations: {
    value: 'FILE',
    help: 'the file of known failures (default: expectations.yaml in the folder of an adapter that --adapter names; none for a command or a module)',
  },
  timeout: {
    type: 'number',
    value: 'S',
    default: LIMITS.question / 1000,
    help: 'seconds for one question. Time spent waiting for a processor does not count, up to 20 times the limit',
  },
  'start-timeout': {
    type: 'number',
    value: 'S',
    default: LIMITS.start / 1000,
    help: 'seconds until the adapter replies to hello',
  },
  'time-limit': {
    type: 'number',
    value: 'S',
    default: LIMITS.total / 1000,
    help: 'seconds for a whole run',
  },
  restarts: {
    type: 'number',
    value: 'N',
    default: LIMITS.restarts,
    help: 'how often a broken adapter is restarted. Its child processes are ended first; on Linux, the variable SVC_RUN_ID also finds those that left its process group',
  },
};

export const runVerb: Verb = {
  usage: [
    'run [options] [ID…] [-- COMMAND…]',
    'run [options] [ID…] --adapter NAME|FOLDER',
    'run [options] [ID…] --module FILE',
  ],
  example: 'run --smoke -- python3 adapter.py',
  exitCodes: {
    ...VERDICT_EXIT_CODES,
    4: 'the adapter never worked',
  },
  summary:
    'Asks an adapter about every vector and judges its answers. Without an adapter, it runs the adapters of this repository whose toolchain is installed. In a run over all vectors, the verifiers of your adapter also receive requests signed with known mistakes, and must refuse them.',
  operands: { ID },
  options: {
    ...RUN_OPTIONS,
    rounds: {
      type: 'count',
      value: 'N',
      help: 'with --fresh: repeat the run N times, with the seeds SEED, SEED + 1 and so on. Stops after the first round with a failure that --expectations does not name, and reports the last round',
    },
    bail: {
      type: 'flag',
      help: 'stop at the first failure that --expectations does not name, and explain it',
    },
    watch: {
      type: 'flag',
      help: 'run again when a file changes in the working directory, the folder of the adapter or that of --vectors; Ctrl-C ends, with the exit code of the last run. Hidden folders and those that builds write (node_modules, target, build, dist) are not watched',
    },
    debug: {
      value: 'VECTOR',
      help: 'ask about this vector only, and write the lines of the protocol to standard error: → to the adapter, ← from it. They contain the key pair of the vector, which is no secret',
      candidates: listVectorIds,
    },
    shard: SHARD,
    ...REPORT_OPTIONS,
  },
  takesCommand: true,
  normalize: withSeed,
  async run(given, call) {
    const run = async (): Promise<number> => {
      const job = await createJob(given);
      return runJob(job, call, await openReports(job.given, call));
    };
    if (!flagOption(given, 'watch')) return run();
    return (await import('./watch.ts')).runOnChange(given, call, run);
  },
};

/** Writes `--fresh 7` as `--fresh --seed 7`. Digits after `--fresh` are a seed, because no id consists of digits. */
export function withSeed(parameters: readonly string[]): readonly string[] {
  const at = parameters.findIndex((word) => word === '--fresh' || word.startsWith('--fresh='));
  const dashes = parameters.indexOf('--');
  if (at < 0 || (dashes >= 0 && dashes < at)) return parameters;
  const [, own] = parameters[at]?.split('=') ?? [];
  const next = parameters[at + 1] ?? '';
  const seed = own ?? (/^[0-9]+$/.test(next) ? next : undefined);
  if (seed === undefined) return parameters;
  const rest = parameters.slice(at + (own === undefined ? 2 : 1));
  return [...parameters.slice(0, at), '--fresh', '--seed', seed, ...rest];
}
