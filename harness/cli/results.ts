/**
 * `results`: writes the page about the published SDKs.
 *
 * @module
 */
import type { Verb } from './verb.ts';

export const resultsVerb: Verb = {
  usage: ['results [--check]'],
  example: 'results --check',
  exitCodes: {
    0: 'RESULTS.md is written, or is up to date',
    1: '--check: RESULTS.md differs from the results',
  },
  summary: 'Judges the published SDKs that are set up here and writes RESULTS.md.',
  options: {
    check: { type: 'flag', help: 'write nothing; fail if RESULTS.md differs from the results' },
  },
  run: async (given, call) => (await import('./results-action.ts')).writeResults(given, call),
};
