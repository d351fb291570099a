/**
 * Compares two reports. Loaded when `compare` runs, not for its help.
 *
 * @module
 */
import { EXIT, UsageError } from '../engine/errors.ts';
import { compareReports, hasRegressions } from '../engine/report/comparison.ts';
import { comparisonReport } from '../render/comparison-report.ts';
import { readReport } from '../suite/report-file.ts';
import type { Call } from './call.ts';
import type { Parsed } from './verb.ts';

export async function compareFiles(given: Parsed, call: Call): Promise<number> {
  const [before, after, ...others] = given.positionals;
  if (before === undefined || after === undefined || others.length > 0) {
    throw new UsageError('compare takes two reports; write svc-conformance compare A B');
  }
  const comparison = compareReports(readReport(before), readReport(after));
  call.print(
    given.values['json'] === true
      ? `${JSON.stringify({ format: 1, ...comparison })}\n`
      : comparisonReport(comparison, call.terminal, given.values['all'] === true),
  );
  return hasRegressions(comparison) ? EXIT.failures : EXIT.asExpected;
}
