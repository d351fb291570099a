/**
 * Checks the comparison of JSON bodies with malformed values.
 */
import { expect, test } from 'vitest';
import { normalizeStage } from '../../dist/harness/engine/judge/comparison.js';

const normalize = (body: string): string => normalizeStage('action-json', 'body', body);

test.each([
  ['{"a": True, "b": 1}', '{"b":1,"a":True}'],
  ['{"a":1,000,"b":"x, \\"y\\": z"}', '{ "b": "x, \\"y\\": z", "a": 1,000 }'],
  ['{"b":{"c":None},"a":[1, None]}', '{"a":[1,None],"b":{"c":None}}'],
])('%s and %s are equal, because an adapter may choose the order and the spaces', (a, b) => {
  expect(normalize(a)).toBe(normalize(b));
});

test.each([
  ['{"a":1 2,"b":True}', '{"a":12,"b":True}'],
  ['{"a":True}', '{"a":true}'],
  ['{"a":1,}', '{"a":1}'],
  ['{"a":1}}', '{"a":1}'],
  ['[True]', '[ True]'],
  ['{"a":"x y" True}', '{"a":"xy" True}'],
])('%s and %s are different', (a, b) => {
  expect(normalize(a)).not.toBe(normalize(b));
});
