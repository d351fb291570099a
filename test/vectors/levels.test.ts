import { expect, test } from 'vitest';
import { readSuite } from '../../dist/harness/suite/suite-folder.js';
import type { Rule, Suite } from '../../harness/engine/vector.ts';
import { isVerifier } from '../../reference/operations.ts';
import { PLACES, REFUSING_PLACES } from './specification-places.ts';

const { rules, vectors }: Suite = readSuite('vectors');
const must = rules.filter(({ level }) => level === 'must');

function ids(found: readonly { readonly id: string }[]): readonly string[] {
  return found.map(({ id }) => id);
}

function isAbout({ text }: Rule, place: string): boolean {
  const words = PLACES[place] ?? [];
  return words.some((word) => text.toLowerCase().includes(word.toLowerCase()));
}

test('every must rule cites the specification, and no other rule does', () => {
  expect(ids(rules.filter(({ cites }) => cites !== undefined))).toEqual(ids(must));
});

test('every place that a must rule cites is listed, and the rule contains one of its words', () => {
  const wrong = must.flatMap((rule) =>
    (rule.cites ?? []).filter((place) => !isAbout(rule, place)).map((place) => [rule.id, place]),
  );
  expect(wrong).toEqual([]);
});

test('every listed place of the specification is cited by a must rule', () => {
  const cited = new Set(must.flatMap(({ cites = [] }) => cites));
  expect(Object.keys(PLACES).filter((place) => !cited.has(place))).toEqual([]);
});

test('a must rule that requires a refusal cites a sentence that requires one', () => {
  const refusing = must.filter(({ text }) =>
    /refuse|cannot|no (?:host|signature|text)|not one|discard/i.test(text),
  );
  expect(refusing.length).toBeGreaterThan(0);
  const wrong = refusing.filter(
    ({ cites = [] }) => !cites.some((place) => REFUSING_PLACES.includes(place)),
  );
  expect(ids(wrong)).toEqual([]);
});

test('a must vector requires a signer to refuse only a request without a required parameter', () => {
  const wrong = vectors.filter(
    ({ operation, level, refuse }) =>
      level === 'must' &&
      refuse !== undefined &&
      !isVerifier(operation) &&
      refuse.reason !== 'parameter-missing',
  );
  expect(ids(wrong)).toEqual([]);
});

test('every advised vector requires a refusal', () => {
  const advised = vectors.filter(({ level }) => level === 'advised');
  expect(advised).not.toEqual([]);
  expect(ids(advised.filter(({ refuse }) => refuse === undefined))).toEqual([]);
});
