/**
 * Checks that the sentences of the data are short and plain, end with a full stop, and differ.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { listRepositoryAdapters } from '../../dist/harness/respondents/adapter/manifest.js';
import { readExpectations } from '../../dist/harness/suite/expectations.js';
import { readSuite } from '../../dist/harness/suite/suite-folder.js';
import { generatedMistakes, MISTAKES } from '../../dist/reference/mistakes/index.js';
import { SPECIFICATION } from '../../dist/reference/signing/specification.js';
import type { Suite } from '../../harness/engine/vector.ts';

const { vectors, rules }: Suite = readSuite('vectors');

const texts = vectors.flatMap(({ id, why, accept }) => [
  [id, why ?? ''] as const,
  ...Object.values(accept ?? {}).map(({ because }) => [id, `${because}`] as const),
]);

/** Words that leave the actor open, or that replace a standard term. */
const VAGUE =
  /\b(?:who|whoever|nobody|somebody|anybody|everybody|stands?|blanks?|line ends?|is none|taken for)\b/i;
const MOST_WORDS = 27;

/** The sentences that reports and pages show beside those of the vectors. */
const OTHERS: readonly (readonly [at: string, text: string])[] = [
  ...rules.map(({ id, text, untested = '' }) => [id, `${text} ${untested}`] as const),
  ...MISTAKES.map(({ id, wrong, fix }) => [id, `${wrong}; ${fix}`] as const),
  ...(parse(readFileSync('site/symptoms.yaml', 'utf8')) as readonly { inputs: string }[]).map(
    ({ inputs }) => ['site/symptoms.yaml', inputs] as const,
  ),
  ...listRepositoryAdapters().flatMap(({ name, expectations }) =>
    expectations === undefined
      ? []
      : readExpectations(expectations, true).entries.map(
          ({ reason }) => [name, reason ?? ''] as const,
        ),
  ),
];

test('rules, mistakes, symptoms and reasons name the actor and use standard terms', () => {
  expect(OTHERS.filter(([, text]) => VAGUE.test(text))).toEqual([]);
  expect(OTHERS.length).toBeGreaterThan(600);
});

const { steps } = SPECIFICATION;
const TEXT = 'é /';

/** The correct form of TEXT at each place where a generated mistake percent-encodes it wrongly. */
const CORRECT: Readonly<Record<string, string>> = {
  'url-encode': steps.urlEncode(TEXT),
  'query-name': steps.queryName(TEXT, SPECIFICATION),
  'query-value': steps.queryValue(TEXT, SPECIFICATION),
  'instant-upload-value': steps.instantUploadValue(TEXT, SPECIFICATION),
  'presigned-public-key': steps.presignedPublicKey(TEXT, SPECIFICATION),
  'presigned-expires': steps.presignedExpires(TEXT, SPECIFICATION),
  'encoded-signature': steps.encodedSignature(TEXT, SPECIFICATION),
  'path-segment': steps.pathSegment(TEXT, SPECIFICATION),
  'signed-name': steps.signedName(TEXT),
  'signed-value': steps.signedValue(TEXT),
  'action-text': steps.actionText(TEXT),
  'resource-bucket': steps.resourceBucket(TEXT),
  'resource-key': steps.resourceKey(TEXT),
  'resource-text': steps.resourceText(TEXT),
  'string-to-sign': steps.stringToSign(TEXT),
  'sent-public-key': steps.sentPublicKey(TEXT),
  'sent-signature': steps.sentSignature(TEXT),
  'sent-policy': steps.sentPolicy(TEXT),
  'host-bucket': steps.hostBucket(TEXT),
};

test('a fix asks for percent-encoding exactly where the specification does', () => {
  const fixes = new Map(generatedMistakes().map(({ id, fix }) => [id, fix]));
  const misplaced = Object.entries(CORRECT).filter(
    ([place, correct]) =>
      fixes.get(`${place}/twice`)?.startsWith('percent-encode') !== (correct === '%C3%A9%20%2F'),
  );
  expect(misplaced).toEqual([]);
});

/** Orders that are wrong if they are followed: they also forbid the trimming, unfolding or encoding that a place needs. */
const TOO_WIDE = /\bunchanged\b|\bas (?:it is|they are)\b(?! (?:sent|signed))/;
/** Sentences that have to be read twice. */
const TANGLED = /\bwithout\b.*\bwithout\b|\bin place of\b|\btaken for\b/;

test('no fix of a generated mistake asks to keep a whole value, and no cause is tangled', () => {
  const fixes = new Set(generatedMistakes().map(({ fix }) => fix));
  const causes = new Set(generatedMistakes().map(({ wrong }) => wrong));
  expect([...fixes].filter((fix) => TOO_WIDE.test(fix))).toEqual([]);
  expect([...causes].filter((cause) => TANGLED.test(cause))).toEqual([]);
  expect([...fixes, ...causes].filter((text) => text.includes('{noun}'))).toEqual([]);
});

const those = (wrong: (text: string) => boolean): readonly string[] =>
  texts.filter(([, text]) => wrong(text)).map(([id, text]) => `${id}: ${text}`);

test('whys and answers name the actor and use standard terms', () => {
  expect(those((text) => VAGUE.test(text))).toEqual([]);
});

test(`whys and answers have at most ${MOST_WORDS} words, and end with a full stop`, () => {
  expect(those((text) => text.split(' ').length > MOST_WORDS || !text.endsWith('.'))).toEqual([]);
});

test('no two vectors of a file have the same why', () => {
  const seen = new Set<string>();
  const repeated = vectors.filter(({ id, why }) => {
    const inFile = `${id.slice(0, id.lastIndexOf('/'))}: ${why}`;
    return seen.size === seen.add(inFile).size;
  });
  expect(repeated.map(({ id }) => id)).toEqual([]);
});
