import { describe, expect, test } from 'vitest';
import { readSuite } from '../../dist/harness/suite/suite-folder.js';
import type { Stages, Suite, Vector } from '../../harness/engine/vector.ts';

const { vectors }: Suite = readSuite('vectors');

/** Every text in a value, names of members left out. */
function texts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(texts);
}

function some(vector: Vector, holds: (text: string) => boolean): boolean {
  return texts([vector.input, vector.keys, vector.control?.input]).some(holds);
}

/** Texts of the answer, or of the answers, too. */
function someAnswer(vector: Vector, holds: (text: string) => boolean): boolean {
  const { expect: expected, control, accept } = vector;
  const answers: unknown[] = [expected, control?.expect, ...Object.values(accept ?? {})];
  return texts(answers as unknown as Stages).some(holds);
}

function names(vector: Vector): readonly string[] {
  const lists = ['headers', 'fields', 'parameters', 'members'].flatMap((list) => {
    const pairs = vector.input[list] as readonly (readonly [string, unknown])[] | undefined;
    return pairs ? [pairs.map(([name]) => name.toLowerCase())] : [];
  });
  return lists.flatMap((list) => list.filter((name, i) => list.indexOf(name) !== i));
}

const json = (vector: Vector): string =>
  JSON.stringify([vector.input, vector.keys, vector.control?.input]);

/** What an id may only say when it is true of the data. */
const CLAIMS: Readonly<Record<string, (vector: Vector) => boolean>> = {
  empty: (vector) =>
    some(vector, (text) => text === '') ||
    /\[\]|\{\}|"size":0|"":|=&|=$|=\\?"|: *\\?"\\?"|[:;]=?\\?"|\/\\?"|""/.test(json(vector)),
  fold: (vector) => some(vector, (text) => /\r?\n[ \t]/.test(text)),
  folds: (vector) => some(vector, (text) => /\r?\n[ \t]/.test(text)),
  folded: (vector) => some(vector, (text) => /\r?\n[ \t]/.test(text)),
  tab: (vector) => some(vector, (text) => text.includes('\t')),
  tabs: (vector) => some(vector, (text) => text.includes('\t')),
  astral: (vector) => some(vector, (text) => /[\u{10000}-\u{10ffff}]/u.test(decoded(text))),
  space: (vector) =>
    some(vector, (text) => /[ \u00a0\u3000]/.test(decoded(text))) ||
    someAnswer(vector, (text) => text.includes(' ')),
  spaces: (vector) => some(vector, (text) => decoded(text).includes(' ')),
  plus: (vector) =>
    some(vector, (text) => decoded(text).includes('+')) ||
    someAnswer(vector, (text) => text.includes('+')) ||
    /mib-plus-1/.test(vector.id),
  percent: (vector) => some(vector, (text) => text.includes('%')),
  comma: (vector) => some(vector, (text) => text.includes(',')),
  commas: (vector) => some(vector, (text) => text.includes(',')),
  colon: (vector) =>
    some(vector, (text) => decoded(text).includes(':')) || vector.operation === 'authorization',
  newline: (vector) =>
    some(
      vector,
      (text) => text.includes('\n') || text.includes('\\n') || decoded(text).includes('\n'),
    ),
  newlines: (vector) => some(vector, (text) => text.includes('\n') || text.includes('\\n')),
  quote: (vector) => some(vector, (text) => /['"]/.test(decoded(text))),
  quotes: (vector) => some(vector, (text) => /['"]/.test(decoded(text))),
  tilde: (vector) => some(vector, (text) => text.includes('~')),
  'non-ascii': (vector) =>
    some(vector, (text) => /[^\0-\x7f]/.test(decoded(text)) || /\\u[0-9a-fA-F]{4}/.test(text)),
  nfd: (vector) => some(vector, (text) => decoded(text).normalize('NFC') !== decoded(text)),
  nfc: (vector) => some(vector, (text) => decoded(text).normalize('NFD') !== decoded(text)),
  long: (vector) => some(vector, (text) => Buffer.byteLength(text) > 64),
  null: (vector) => /null/.test(json(vector)),
  booleans: (vector) => /true|false/.test(json(vector)),
  'question-mark': (vector) => some(vector, (text) => decoded(text).includes('?')),
  repeated: (vector) =>
    names(vector).length > 0 ||
    /repeat/.test(JSON.stringify(vector.refuse ?? '')) ||
    vector.operation.startsWith('verify-'),
  twice: (vector) =>
    names(vector).length > 0 ||
    /twice-encoded|repeated|malformed/.test(JSON.stringify(vector)) ||
    vector.operation.startsWith('verify-'),
  password: (vector) => /password/i.test(json(vector)) || vector.operation === 'password',
};

/** A text, its escapes resolved where it is a URL or a query. */
function decoded(text: string): string {
  try {
    return `${text}${decodeURIComponent(text)}`;
  } catch {
    return text;
  }
}

const MIB = 1024 * 1024;

describe('an id is true of its data', () => {
  for (const vector of vectors) {
    const id = vector.id.split('/').at(-1) ?? '';
    const claims = Object.entries(CLAIMS).filter(([word]) => `-${id}-`.includes(`-${word}-`));
    const mebibytes = /(?:^|-)([0-9]+)-mib(?:-(plus|minus)-1)?(?:-|$)/.exec(id);
    if (claims.length === 0 && !mebibytes) continue;
    test(vector.id, () => {
      for (const [word, holds] of claims) expect(holds(vector), word).toBe(true);
      if (mebibytes) {
        const [, count, sign] = mebibytes;
        const size = (vector.input['content'] as { recipe?: { size: number } }).recipe?.size;
        expect(size).toBe(Number(count) * MIB + (sign === 'plus' ? 1 : sign === 'minus' ? -1 : 0));
      }
    });
  }
});

test('an id that says case has names or values in upper and in lower case', () => {
  const silent = vectors.filter(
    (vector) =>
      /-case(-|$)/.test(vector.id) &&
      !(/[A-Z]/.test(texts(vector.input).join('')) && /[a-z]/.test(texts(vector.input).join(''))),
  );
  expect(silent.map(({ id }) => id)).toEqual([]);
});
