/**
 * `compare`: what changed between two reports.
 *
 * @module
 */
import { EXIT, UsageError } from '../engine/errors.ts';
import { compareReports, hasRegressions } from '../engine/report/comparison.ts';
import { comparisonReport } from '../render/comparison-report.ts';
import { readReport } from '../suite/report-file.ts';
import type { Call } from './call.ts';
import { flagOption, type Parsed, type Verb } from './verb.ts';

export const compareVerb: Verb = {
  usage: ['compare [options] A B'],
  example: 'compare yesterday.jsonl today.jsonl',
  exitCodes: {
    0: 'nothing that passed before fails now',
    1: 'regressions',
    3: 'a file is not a complete JSON-lines report',
  },
  summary:
    'Compares two reports in JSON lines, the earlier one first: regressions, fixes, new and removed vectors, changed causes. The exit code is 1 if something regressed.',
  operands: {
    A: { help: 'the earlier report, as --reporter json-lines=A writes it' },
    B: { help: 'the later report' },
  },
  options: {
    all: { type: 'flag', help: 'every change, not only the first 20 of each kind' },
    json: { type: 'flag', help: 'write one JSON object (schema/comparison.schema.json)' },
  },
  notes: [
    'A regression is a vector that fails and did not fail before, or a vector that passed and is now a known failure, unsupported or not asked. A new vector that fails is not a regression.',
    'If each report has one adapter, the two are compared, even if their names differ. Otherwise adapters are compared by name.',
  ],
  run: compareFiles,
};

async function compareFiles(given: Parsed, call: Call): Promise<number> {
  const [before, after, ...others] = given.positionals;
  if (before === undefined || after === undefined || others.length > 0) {
    throw new UsageError('compare takes two reports; write svc-conformance compare A B');
  }
  const comparison = compareReports(readReport(before), readReport(after));
  call.print(
    flagOption(given, 'json')
      ? `${JSON.stringify({ format: 1, ...comparison })}\n`
      : comparisonReport(comparison, call.terminal, flagOption(given, 'all')),
  );
  return hasRegressions(comparison) ? EXIT.failures : EXIT.asExpected;
}
