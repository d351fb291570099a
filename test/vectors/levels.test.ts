import { expect, test } from 'vitest';
import { readSuite } from '../../dist/harness/suite/suite-folder.js';
import type { Rule, Suite } from '../../harness/engine/vector.ts';
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

test('every must rule, and no other, cites where the specification says it', () => {
  expect(ids(rules.filter(({ cites }) => cites !== undefined))).toEqual(ids(must));
});

test('every place that a rule cites is in the specification, and the rule is about it', () => {
  const wrong = must.flatMap((rule) =>
    (rule.cites ?? []).filter((place) => !isAbout(rule, place)).map((place) => [rule.id, place]),
  );
  expect(wrong).toEqual([]);
});

test('every place of the specification that a vector can claim is cited by a must rule', () => {
  const cited = new Set(must.flatMap(({ cites = [] }) => cites));
  expect(Object.keys(PLACES).filter((place) => !cited.has(place))).toEqual([]);
});

test('a must rule that asks for a refusal cites a sentence that does', () => {
  const refusing = must.filter(({ text }) =>
    /refuse|cannot|no (?:host|signature|text)|not one|discard/i.test(text),
  );
  expect(refusing.length).toBeGreaterThan(0);
  const wrong = refusing.filter(
    ({ cites = [] }) => !cites.some((place) => REFUSING_PLACES.includes(place)),
  );
  expect(ids(wrong)).toEqual([]);
});

test('of signers a must vector asks no refusal but that of a request that lacks a required parameter', () => {
  const wrong = vectors.filter(
    ({ operation, level, refuse }) =>
      level === 'must' &&
      refuse !== undefined &&
      !operation.startsWith('verify-') &&
      refuse.reason !== 'parameter-missing',
  );
  expect(ids(wrong)).toEqual([]);
});

test('what only a lenient parser accepts is advised, not must', () => {
  const advised = vectors.filter(({ level }) => level === 'advised');
  expect(advised.length).toBeGreaterThanOrEqual(43);
  expect(ids(advised.filter(({ refuse }) => refuse === undefined))).toEqual([]);
});
