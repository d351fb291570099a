import fc from 'fast-check';
import { expect, test } from 'vitest';
import { authorization, type HeaderList, SPECIFICATION } from '../../reference/signing/index.ts';
import { always } from '../properties.ts';
import { shuffled } from './arbitraries.ts';
import {
  extraHeaders,
  extraName,
  headerList,
  headerValue,
  otherHeaders,
  positionalHeaders,
} from './arbitrary-requests.ts';

const KEYS = { publicKey: 'p', privateKey: 'q' };

/** The string to sign of a request with these headers. */
function signed(headers: HeaderList): string {
  const request = { method: 'GET', bucket: 'b', key: 'k', headers };
  return authorization(request, KEYS, SPECIFICATION).stringToSign;
}

function canonical(headers: HeaderList): string {
  return SPECIFICATION.steps.canonicalHeaders(headers, SPECIFICATION);
}

/** Random headers, each with a value of `arbitrary`. */
function eachWith<T>(
  arbitrary: fc.Arbitrary<T>,
): fc.Arbitrary<readonly (readonly [string, string, T])[]> {
  return headerList.chain((headers) =>
    fc.tuple(
      ...headers.map(([name, value]) => fc.tuple(fc.constant(name), fc.constant(value), arbitrary)),
    ),
  );
}

const fold = fc.stringMatching(/^([ \t]{0,2}\r?\n[ \t]{1,2}){1,2}$/);
const blanks = fc.stringMatching(/^[ \t]{0,2}$/);

test('§5.2 steps 2, 3: the order of headers with different names does not matter', () => {
  const inTwoOrders = headerList.chain((h) => fc.tuple(fc.constant(h), shuffled(h)));
  always([inTwoOrders], ([headers, reordered]) => {
    const remaining = [...headers];
    const stable = reordered.map(([name]) => {
      const at = remaining.findIndex(([n]) => n.toLowerCase() === name.toLowerCase());
      return remaining.splice(at, 1)[0] ?? (['', ''] as const);
    });
    expect(signed(stable)).toBe(signed(headers));
  });
});

test('§5.2 step 3: the order of two headers with the same name matters', () => {
  const withoutComma = headerValue.map((value) => value.replaceAll(',', ''));
  always([extraName, withoutComma, withoutComma, extraHeaders], (name, a, b, rest) => {
    fc.pre(a !== b);
    const one = [[name, a], ...rest, [name.toUpperCase(), b]] as const;
    const other = [[name, b], ...rest, [name.toUpperCase(), a]] as const;
    expect(signed(one)).not.toBe(signed(other));
  });
});

test('§5.2 step 3: two headers with the same name are signed as one with both values', () => {
  always([extraName, headerValue, headerValue], (name, a, b) => {
    expect(
      signed([
        [name, a],
        [name, b],
      ]),
    ).toBe(signed([[name, `${a},${b}`]]));
  });
});

test('§5.2 step 1: the case of names does not matter', () => {
  const inTwoCases = eachWith(fc.constantFrom('toUpperCase', 'toLowerCase'));
  always([inTwoCases], (headers) => {
    const other = headers.map(([name, value, inCase]) => [name[inCase](), value] as const);
    expect(signed(other)).toBe(signed(headers.map(([name, value]) => [name, value])));
  });
});

test('§5.2: headers that are neither extra nor positional do not matter', () => {
  always(
    [extraHeaders, positionalHeaders, otherHeaders, fc.nat()],
    (extra, positional, others, at) => {
      const relevant = [...extra, ...positional];
      const all = relevant.toSpliced(at % (relevant.length + 1), 0, ...others);
      expect(signed(all)).toBe(signed(relevant));
    },
  );
});

test('§5.2 step 4: a fold is signed like a single space', () => {
  const folded = eachWith(fc.infiniteStream(fc.oneof(fc.constant(' '), fold)));
  always([folded], (headers) => {
    const other = headers.map(
      ([name, value, spaces]) => [name, value.replace(/ /g, () => spaces.next().value)] as const,
    );
    expect(signed(other)).toBe(signed(headers.map(([name, value]) => [name, value])));
  });
});

test('§5.2 step 4: an unfolded value has no line breaks and is not unfolded further', () => {
  const value = fc
    .array(fc.oneof(fold, blanks, headerValue), { maxLength: 5 })
    .map((p) => p.join(''));
  always([value], (folded) => {
    const unfolded = SPECIFICATION.steps.unfold(folded);
    expect(unfolded).not.toMatch(/[\r\n]/);
    expect(SPECIFICATION.steps.unfold(unfolded)).toBe(unfolded);
  });
});

test('§5.2 step 5: whitespace around names and values is not signed', () => {
  const surrounded = eachWith(
    fc.tuple(blanks, blanks, fc.oneof(blanks, fold), fc.oneof(blanks, fold)),
  );
  always([surrounded], (headers) => {
    const other = headers.map(([n, v, [a, b, c, d]]) => [a + n + b, c + v + d] as const);
    expect(signed(other)).toBe(signed(headers.map(([name, value]) => [name, value])));
  });
});

test('§5.2 step 6: canonical headers have one sorted line for each name, ending in LF', () => {
  always([headerList], (headers) => {
    const names = headers.map(([name]) => name.toLowerCase()).filter((n) => n.startsWith('x-svc-'));
    const lines = canonical(headers).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => line.split(':')[0])).toEqual([...new Set(names)].sort());
  });
});
