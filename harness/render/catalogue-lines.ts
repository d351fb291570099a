/**
 * Vectors, rules and mistakes as JSON objects, one on a line (schema/catalogue.schema.json).
 *
 * @module
 */

import type { Cause } from '../../reference/mistakes/index.ts';
import type { MistakeEntry, RuleEntry } from '../engine/proof/catalogue.ts';
import type { Rule, Vector } from '../engine/vector.ts';

type Line = Readonly<Record<string, unknown>>;

/** A vector as `list` prints it. */
export function vectorLine({ id, operation, level, rules, why }: Vector): Line {
  return { type: 'vector', id, operation, level, rules, why };
}

/** A rule as `list` prints it. */
export function ruleLine({ id, level, text, cites, untested }: Rule): Line {
  return { type: 'rule', id, level, text, cites, untested };
}

/** A mistake as `list` prints it. */
export function mistakeLine({ id, rule, wrong, fix, seen, once }: Cause): Line {
  return { type: 'mistake', id, rule, cause: wrong, fix, seen, once };
}

/** A vector as `show` prints it. */
export function vectorEntryLine(vector: Vector, byHand: string | undefined): Line {
  return { type: 'vector', ...vector, byHand };
}

/** A rule as `show` prints it. */
export function ruleEntryLine({ rule, vectors, mistakes, sdks }: RuleEntry): Line {
  return { ...ruleLine(rule), vectors, mistakes: mistakes.map(({ id }) => id), sdks };
}

/** A mistake as `show` prints it. */
export function mistakeEntryLine({ mistake, demonstration, vectors, sdks }: MistakeEntry): Line {
  return { ...mistakeLine(mistake), example: exampleLine(demonstration), vectors, sdks };
}

function exampleLine(demonstration: MistakeEntry['demonstration']): Line | undefined {
  if (!demonstration) return undefined;
  const { vector, question, difference } = demonstration;
  const { stage, expected, actual, at } = difference;
  const { operation, keys, input } = question;
  return { vector: vector.id, operation, keys, input, stage, correct: expected, wrong: actual, at };
}
