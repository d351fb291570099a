/**
 * `accept`: adds the current failures of an adapter to its known failures.
 *
 * @module
 */

import { RUN_OPTIONS, withSeed } from './run.ts';
import { ID } from './selection.ts';
import type { Verb } from './verb.ts';

const group = 'Which failures';

export const acceptVerb: Verb = {
  usage: ['accept --reason TEXT [options of run] [ID…] -- COMMAND…'],
  example: "accept --reason 'Fixed in 3.0.' --adapter ./my-adapter",
  exitCodes: {
    0: 'the failures are accepted, or nothing failed',
    2: 'usage: no reason, no adapter, or an adapter that is not installed',
    3: 'a file of vectors or of expectations is invalid',
    4: 'the adapter never worked; nothing is accepted',
    5: 'aborted, or some questions were not asked or not answered; nothing is accepted',
  },
  summary:
    'Runs the vectors and adds the failures to the file of --expectations, by cause. Later runs report them as known.',
  operands: { ID },
  options: {
    reason: { value: 'TEXT', group, help: 'why the failure is known; required' },
    cause: {
      value: 'ID',
      repeatable: true,
      group,
      help: 'only what this cause explains, forged requests too; or unexplained',
      candidates: listCauses,
    },
    issue: { value: 'URL', group, help: 'where the fix is tracked' },
    until: {
      value: 'DATE',
      group,
      help: 'the last day, such as 2030-12-31; after it the run fails',
    },
    ...RUN_OPTIONS,
    expectations: {
      value: 'FILE',
      group,
      help: 'the file to write to; not needed if the folder of the adapter has one',
    },
  },
  takesCommand: true,
  normalize: withSeed,
  run: async (given, call) => (await import('./accept-action.ts')).acceptFailures(given, call),
};

/** The causes that completion offers. Generated mistakes are left out, because there are too many. */
async function listCauses(): Promise<readonly string[]> {
  const { MISTAKES } = await import('../../reference/mistakes/index.ts');
  return [...MISTAKES.map(({ id }) => id), 'unexplained'];
}
