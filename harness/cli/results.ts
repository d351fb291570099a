/**
 * `results`: writes the results of the published SDKs, and RESULTS.md.
 *
 * @module
 */
import type { Verb } from './verb.ts';

export const resultsVerb: Verb = {
  usage: ['results [--check]'],
  example: 'results --check',
  exitCodes: {
    0: 'the files are written, or are up to date',
    1: '--check: a file differs from the results',
  },
  summary:
    'Judges the published SDKs that are set up here, and writes RESULTS.md and results.jsonl beside each adapter.',
  options: {
    check: { type: 'flag', help: 'write nothing; fail if a file differs from the results' },
  },
  run: async (given, call) => (await import('./results-action.ts')).writeResults(given, call),
};
