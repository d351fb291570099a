/**
 * `fuzz`: asks an adapter about random requests.
 *
 * @module
 */

import { OPERATIONS } from '../../reference/operations.ts';
import { ADAPTER_OPTIONS } from './adapter-options.ts';
import type { Verb } from './verb.ts';

export const fuzzVerb: Verb = {
  usage: [
    'fuzz [options] -- COMMAND…',
    'fuzz [options] --adapter NAME|FOLDER',
    'fuzz [options] --module FILE',
  ],
  example: 'fuzz --runs 2000 -- python3 adapter.py',
  exitCodes: {
    0: 'every answer is correct',
    1: 'some answers are wrong',
    4: 'the adapter never worked',
    5: 'aborted; the report shows the results until then',
  },
  summary:
    'Asks an adapter about random requests at the edges of the rules, and shows the smallest request that fails, with its cause.',
  options: {
    runs: {
      type: 'count',
      value: 'N',
      default: 5000,
      help: 'the number of requests; with --time, no limit by default',
    },
    time: { type: 'number', value: 'S', help: 'stop after this many seconds' },
    seed: {
      value: 'N',
      help: 'repeat the requests of another run (default: a random seed, which is printed)',
    },
    shard: {
      value: 'I/N',
      help: 'only part I of N of the requests; needs a --seed that is the same for all parts',
    },
    path: {
      value: 'P',
      help: 'repeat one request: the path that a report shows, with its --seed and --operation',
    },
    level: {
      value: 'LEVEL',
      repeatable: true,
      help: 'with advised: also ask about requests that only advised rules refuse, such as a header value with a line break',
      candidates: () => ['advised'],
    },
    operation: {
      value: 'NAME',
      repeatable: true,
      help: 'only this operation',
      candidates: () => Object.keys(OPERATIONS),
    },
    ...ADAPTER_OPTIONS,
    timeout: { type: 'number', value: 'S', default: 5, help: 'seconds for one question' },
  },
  takesCommand: true,
  run: async (given, call) => (await import('./fuzz-action.ts')).fuzzAdapter(given, call),
};
