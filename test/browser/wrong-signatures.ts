/**
 * Signatures with one or two known mistakes that the search for causes names on Node.
 *
 * @module
 */
import { explainSignature } from '../../harness/engine/explain/explanation.ts';
import { answerQuestion } from '../../reference/answers.ts';
import { MISTAKES, type Mistake, mistaken } from '../../reference/mistakes/index.ts';
import type { Inputs } from '../../reference/operations.ts';
import { SPECIFICATION } from '../../reference/signing/index.ts';
import { EXAMPLE_KEYS, EXAMPLES } from '../../site/playground/examples.ts';
import { START } from '../../site/playground/state.ts';
import { findSubject } from '../../site/playground/subject.ts';

export interface WrongSignature {
  readonly operation: string;
  readonly input: Inputs[keyof Inputs];
  readonly publicKey: string;
  readonly received: string;
  /** The ids of the mistakes. */
  readonly ids: readonly string[];
}

const OPERATIONS = [
  'authorization',
  'presigned-url',
  'action-query',
  'form-authorization',
] as const;
const SINGLES = 28;
const PAIRS = 12;

/**
 * Equally many for each operation. Only mistakes that Node names, because several mistakes can give
 * the same signature.
 */
export function findWrongSignatures(): readonly WrongSignature[] {
  return OPERATIONS.flatMap((operation) => {
    const singles = MISTAKES.flatMap((one) => makeWrong(operation, [one]) ?? []);
    const distinct = [...new Map(singles.map((one) => [one.received, one])).values()];
    const made = takeNamed(distinct, SINGLES / OPERATIONS.length);
    return [...made, ...takeNamed(pairUp(operation, distinct), PAIRS / OPERATIONS.length)];
  });
}

function makeWrong(
  operation: (typeof OPERATIONS)[number],
  mistakes: readonly Mistake[],
): WrongSignature | undefined {
  const input = EXAMPLES[operation];
  const sign = (context: typeof SPECIFICATION): unknown => {
    const answer = answerQuestion(operation, input, EXAMPLE_KEYS, context);
    return 'stages' in answer ? (answer.stages['authorization'] ?? answer.stages['signature']) : '';
  };
  try {
    const received = sign(mistaken(SPECIFICATION, mistakes));
    if (typeof received !== 'string' || received === sign(SPECIFICATION)) return undefined;
    if (!/^[!-~]+(?: [!-~]+)?$/.test(received)) return undefined;
    const ids = mistakes.map(({ id }) => id);
    return { operation, input, publicKey: EXAMPLE_KEYS.publicKey, received, ids };
  } catch {
    return undefined;
  }
}

/** Pairs the first mistake with the last, and so on, except for two mistakes in the same step. */
function* pairUp(
  operation: (typeof OPERATIONS)[number],
  singles: readonly WrongSignature[],
): Generator<WrongSignature> {
  for (const [i, { ids }] of singles.entries()) {
    const other = singles[singles.length - 1 - i]?.ids[0];
    const [a, b] = [ids[0], other].map((id) => MISTAKES.find((one) => one.id === id));
    if (!a || !b || a.steps.some((step) => b.steps.includes(step))) continue;
    const wrong = makeWrong(operation, [a, b]);
    if (wrong && !singles.some(({ received }) => received === wrong.received)) yield wrong;
  }
}

function takeNamed(wrongs: Iterable<WrongSignature>, most: number): readonly WrongSignature[] {
  const taken: WrongSignature[] = [];
  for (const wrong of wrongs) {
    if (taken.length === most) break;
    if (isNamedOnNode(wrong)) taken.push(wrong);
  }
  return taken;
}

function isNamedOnNode({ operation, input, received, ids }: WrongSignature): boolean {
  const state = { ...START, operation, input: { ...input }, received };
  const { signed } = findSubject(state, (text) => text);
  if (signed === undefined) return false;
  const { verdict } = explainSignature(signed, { keys: EXAMPLE_KEYS, now: 0, rules: [] });
  return ids.every((id) => verdict.some(({ text }) => text === `  mistake ${id}`));
}
