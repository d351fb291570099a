/**
 * `run`: the main job.
 *
 * @module
 */
import { LIMITS } from '../respondents/adapter/session.ts';
import { ADAPTER_OPTIONS } from './adapter-options.ts';
import { VERDICT_EXIT_CODES } from './exit-codes.ts';
import { openReports, REPORT_OPTIONS } from './reports.ts';
import { createJob, runJob } from './run-job.ts';
import { ID, SELECTION, SHARD } from './selection.ts';
import type { Option, Options, Verb } from './verb.ts';

/** The options of `run` and `accept`: which adapter is asked what, and how. */
export const ASKING: Options = {
  ...SELECTION,
  ...ADAPTER_OPTIONS,
  jobs: {
    type: 'count',
    short: 'j',
    value: 'N',
    default: 1,
    help: 'processes of the adapter that share the questions, at most 256',
  },
  forged: {
    type: 'flag',
    help: 'ask the verifiers of this repository about forged requests, too. Verifiers of your own are asked whenever nothing narrows the vectors',
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
    type: 'text',
    value: 'FILE',
    help: 'the known failures of your adapter. The file is read only where you name it; adapters of this repository have theirs beside them',
  },
  timeout: {
    type: 'number',
    value: 'S',
    default: LIMITS.question / 1000,
    help: "seconds for one question. Time limits count the adapter's own time, which on a busy machine may be up to 20 times as long by the clock",
  },
  'start-timeout': {
    type: 'number',
    value: 'S',
    default: LIMITS.start / 1000,
    help: 'seconds until the adapter says hello',
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
    help: 'how often a broken adapter is started again. Each process of its group ends with it. On Linux, the variable SVC_RUN_ID also finds and ends processes that left the group',
  },
};

const BAIL: Option = {
  type: 'flag',
  help: 'stop at the first failure that --expectations does not name, and explain it',
};

export const runVerb: Verb = {
  usage: [
    'run [options] [ID…] [-- COMMAND…]',
    'run [options] [ID…] --adapter FOLDER',
    'run [options] [ID…] --module FILE',
  ],
  example: 'run --smoke -- python3 adapter.py',
  exitCodes: {
    ...VERDICT_EXIT_CODES,
    4: 'the adapter never worked',
  },
  summary:
    'Asks an adapter about every vector and judges its answers. Without an adapter, it runs the adapters of this repository whose toolchain is installed. If nothing narrows the vectors, the verifiers of your adapter also receive requests signed with known mistakes, and must refuse them.',
  operands: { ID },
  options: { ...ASKING, bail: BAIL, shard: SHARD, ...REPORT_OPTIONS },
  takesCommand: true,
  normalize: withSeed,
  async run(given, call) {
    const job = await createJob(given);
    return runJob(job, call, () => openReports(job.given, call));
  },
};

/** Moves a seed after `--fresh` into an option of its own. No id consists of digits. */
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
