/**
 * Where an answer first differs from what was expected.
 *
 * @module
 */
import { OPERATIONS, resultStages } from '../suite/operations.ts';
import type { Stages } from '../suite/vector.ts';
import { equalForm } from './equal-form.ts';

export interface Difference {
  readonly stage: string;
  /** Both texts in the form in which they are compared. */
  readonly expected: string;
  readonly actual: string;
  /** How many characters they have in common at their start. */
  readonly at: number;
  /** The right string to sign, where the answer shows none of its own. */
  readonly toSign?: string;
}

/** The stages that travel in a request decide; those before them, where the adapter shows them, tell where it went wrong. */
export function firstDifference(
  operation: string,
  expected: Stages,
  actual: Stages,
): Difference | undefined {
  // A verify operation's vectors state its result only, and a verifier may show every stage.
  const differs = (stage: string): boolean =>
    expected[stage] !== undefined &&
    expected[stage] !== actual[stage] &&
    equalForm(operation, stage, expected[stage]) !== equalForm(operation, stage, actual[stage]);
  if (!resultStages(operation).some(differs)) return undefined;
  const stages = OPERATIONS[operation]?.stages ?? [];
  const stage = stages.find((name) => actual[name] !== undefined && differs(name));
  if (stage === undefined) return undefined;
  const toSign = expected['stringToSign'];
  const isHidden = typeof toSign === 'string' && actual['stringToSign'] === undefined;
  return { ...differenceAt(operation, stage, expected, actual), ...(isHidden && { toSign }) };
}

function differenceAt(
  operation: string,
  stage: string,
  expected: Stages,
  actual: Stages,
): Difference {
  const texts = {
    expected: equalForm(operation, stage, expected[stage]),
    actual: equalForm(operation, stage, actual[stage]),
  };
  return { stage, ...texts, at: sharedStart(texts.expected, texts.actual) };
}

/** Counts whole characters, so that a pair of surrogates is never split. */
export function sharedStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const before = a.charCodeAt(at - 1);
  return before >= 0xd800 && before < 0xdc00 ? at - 1 : at;
}
