/**
 * `merge`: joins the reports of all shards of a run.
 *
 * @module
 */
import { REPORT_OPTIONS } from './reports.ts';
import { VERDICT_EXIT_CODES, type Verb } from './verb.ts';

export const mergeVerb: Verb = {
  usage: ['merge [options] FILE…'],
  example: 'merge 1.jsonl 2.jsonl --reporter json-lines=all.jsonl',
  exitCodes: {
    ...VERDICT_EXIT_CODES,
    2: 'usage: a shard is missing or given twice, or the reports are of different runs',
    3: 'a file is not a complete JSON-lines report',
  },
  summary:
    'Joins the reports of all shards of a run, which `run --shard I/N --reporter json-lines=FILE` writes, and reports the result as one run over all vectors. It fails if a shard is missing or repeated.',
  operands: { FILE: { help: 'the report of a shard, in any order' } },
  options: REPORT_OPTIONS,
  notes: [
    'Each shard finds the causes of its own failures; causes with the same id are joined.',
    'Only a whole run notices a stale expectation whose vectors are in several shards.',
  ],
  run: async (given, call) => (await import('./merge-action.ts')).mergeReports(given, call),
};
