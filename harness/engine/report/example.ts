/**
 * The vector that shows a cause best.
 *
 * @module
 */
import type { FoundCause } from '../diagnosis/diagnose.ts';
import type { Outcome } from '../judge/outcome.ts';
import { estimateDifficulty } from '../select.ts';
import { sortByRank } from '../sort-by-rank.ts';
import type { Report } from './report.ts';

const ASCII = /^[ -~]*$/;

/**
 * Finds the failure that shows a cause best: without another cause, with texts to compare, about the rule of the cause, and with a
 * plain and small input.
 */
export function findExample(
  { mistake, explains }: FoundCause,
  { causes, outcomes }: Pick<Report, 'causes' | 'outcomes'>,
): Outcome | undefined {
  const own = new Set(explains);
  const others = causes.filter((cause) => cause.mistake !== mistake);
  const mixed = new Set(others.flatMap((cause) => cause.explains));
  const faults = ({ vector, verdict }: Outcome): readonly number[] => [
    Number(mixed.has(vector.id)),
    Number(verdict.status === 'inconclusive'),
    Number(verdict.difference === undefined),
    Number(vector.rules[0] !== mistake.rule),
    Number(!ASCII.test(JSON.stringify(vector.input))),
    estimateDifficulty(vector),
  ];
  const [best] = sortByRank(
    outcomes.filter(({ vector }) => own.has(vector.id)),
    faults,
  );
  return best;
}

/** The failures: first an example of each cause, then those without a cause, then the others. */
export function sortTelling(report: Report): readonly Outcome[] {
  const examples = new Set(report.causes.map((cause) => findExample(cause, report)));
  const explained = new Set(report.causes.flatMap(({ explains }) => explains));
  const others = report.failures.filter((outcome) => !examples.has(outcome));
  const isExplained = ({ vector }: Outcome): boolean => explained.has(vector.id);
  return [
    ...[...examples].filter((example) => example !== undefined),
    ...others.filter((outcome) => !isExplained(outcome)),
    ...others.filter(isExplained),
  ];
}
