import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SPECIFICATION, urlDecode } from '../../reference/signing/index.ts';
import { always } from '../properties.ts';
import { text } from './arbitraries.ts';

const { urlEncode } = SPECIFICATION.steps;

test('§5.3: an encoded text decodes to the original text', () => {
  always([text], (t) => {
    expect(decodeURIComponent(urlEncode(t))).toBe(t);
    expect(urlDecode(urlEncode(t))).toBe(t);
  });
});

test('§5.3: an encoded text has only unreserved characters and upper-case escapes', () => {
  always([text], (t) => {
    expect(urlEncode(t)).toMatch(
      /^([A-Za-z0-9\-_.~]|%(?!2[DE]|3\d|[46][1-9A-F]|[57][0-9A]|5F|7E)[0-9A-F]{2})*$/,
    );
  });
});

test('§5.3: each escaped byte takes three characters', () => {
  always([text], (t) => {
    const kept = t.match(/[A-Za-z0-9\-_.~]/g)?.length ?? 0;
    expect(urlEncode(t)).toHaveLength(kept + 3 * (Buffer.byteLength(t) - kept));
  });
});

test('§5.3: unreserved characters are not escaped', () => {
  always([fc.stringMatching(/^[A-Za-z0-9\-_.~]*$/)], (t) => {
    expect(urlEncode(t)).toBe(t);
  });
});

test('§5.3: a text with an invalid escape or invalid UTF-8 is not decoded', () => {
  const notEscape = fc.constantFrom(
    '%',
    '%2',
    '%G0',
    '%2g',
    '%80',
    '%C0%80',
    '%ED%A0%80',
    '%F8',
    '%é',
  );
  always([text, notEscape, text], (before, fault, after) => {
    expect(urlDecode(`${urlEncode(before)}${fault}/${urlEncode(after)}`)).toBeUndefined();
  });
});
