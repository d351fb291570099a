import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ParameterValue, SPECIFICATION } from '../../reference/signing/index.ts';
import { always } from '../properties.ts';
import { character, garbled, text } from './arbitraries.ts';
import { decimal } from './arbitrary-parameters.ts';

const { jsonText } = SPECIFICATION.steps;

/** The value in the form that `jsonText` returns. */
function said(value: unknown): ParameterValue {
  if (typeof value === 'number') return { number: JSON.stringify(value) };
  if (Array.isArray(value)) return { list: value.map(said) };
  if (typeof value === 'object' && value !== null) {
    return { object: Object.entries(value).map(([name, member]) => [name, said(member)]) };
  }
  return value as string | boolean | null;
}

function isJson(candidate: string): boolean {
  try {
    JSON.parse(candidate);
    return true;
  } catch {
    return false;
  }
}

const jsonValue = fc.jsonValue({ stringUnit: character });
const json = jsonValue.map((value) => JSON.stringify(value));

test('§4.2: a JSON text is read as the value that it was written from', () => {
  always([jsonValue], 300, (value) => {
    expect(jsonText(JSON.stringify(value))).toEqual(said(value));
  });
});

test('§4.2: whitespace between tokens does not matter', () => {
  always([jsonValue, fc.stringMatching(/^[ \t\r\n]{0,4}$/)], (value, blanks) => {
    const spaced = `${blanks}${JSON.stringify(value, null, blanks)}${blanks}`;
    expect(jsonText(spaced)).toEqual(said(value));
  });
});

test('§4.2: numbers keep their digits, and members keep their order and repetitions', () => {
  const member = fc.tuple(fc.constantFrom('a', 'b', '__proto__', '1'), decimal);
  always([fc.array(member)], (members) => {
    const written = members.map(([name, number]) => `"${name}":[${number}]`);
    const object = members.map(([name, number]) => [name, { list: [{ number }] }]);
    expect(jsonText(`{${written.join(',')}}`)).toEqual({ object });
  });
});

test('§4.2: strings have the same value with and without escapes', () => {
  const escaped = (unit: string): string =>
    `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  always([text, fc.infiniteStream(fc.boolean())], (t, escapes) => {
    const plain = JSON.stringify(t).slice(1, -1);
    const written = plain.replace(/\\u....|\\.|[^\\]/gs, (c) =>
      c.length === 1 && escapes.next().value ? escaped(c) : c,
    );
    expect(jsonText(`"${written}"`)).toBe(t);
  });
});

test('§4.2: a text is read if and only if JSON.parse accepts it', () => {
  const almost = fc.oneof(
    json.chain(garbled),
    fc.string({ unit: fc.constantFrom(...'{}[]",:0-1.e\\u \n'), maxLength: 6 }),
  );
  const FORMS = [
    '',
    ' ',
    '01',
    '-',
    '1.',
    '.1',
    '+1',
    '1e',
    '[1,]',
    '{"a":1,}',
    '{,}',
    '[,]',
    "'a'",
    '"\t"',
    '"\\x"',
    '"\\u12"',
    '1 1',
    '[1 1]',
    '[1:1]',
    '{"a":1:"b":1}',
    '{"a",1}',
    '{"a" 1}',
    '{1:1}',
    'nul',
    'nullnull',
    '\uFEFF1',
    '\xA01',
    '"\u2028"',
    '[]]',
    '{"a":}',
    '//',
    'NaN',
    '{"a":1 "b":1}',
  ];
  fc.assert(
    fc.property(almost, (candidate) => {
      expect(jsonText(candidate) !== undefined).toBe(isJson(candidate));
    }),
    { numRuns: 2000, examples: FORMS.map((form) => [form]) },
  );
});

test('§4.2: values nested up to 64 levels deep are read', () => {
  const level = fc.constantFrom(
    ['[', ']'] as const,
    ['{"a":', '}'] as const,
    ['[0,', ',0]'] as const,
  );
  always([fc.array(level, { maxLength: 64, size: 'max' })], (levels) => {
    const nested = levels.reduce((inner, [open, close]) => open + inner + close, '1');
    expect(jsonText(nested)).toEqual(said(JSON.parse(nested)));
  });
});

test.each(['[]', '{"a":}'])(
  '§4.2: a body of %s, nested 100,000 levels deep, is refused',
  (level) => {
    const [open, close] = [level.slice(0, -1), level.slice(-1)];
    const nested = `${open?.repeat(100_000)}null${close?.repeat(100_000)}`;
    expect(jsonText(nested)).toBeUndefined();
  },
);

test.each(['[', '{"a":', '[0,', '"', ' '])(
  '§4.2: %j repeated 100,000 times is refused',
  (piece) => {
    expect(jsonText(piece.repeat(100_000))).toBeUndefined();
  },
);

test('§4.2: a text of ten million characters is read', () => {
  expect(jsonText(`"${'a'.repeat(10_000_000)}"`)).toHaveLength(10_000_000);
});
