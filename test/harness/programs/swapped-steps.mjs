/**
 * The reference with wrong steps of the specification.
 *
 * @module
 */
import { inDialect, SVC, urlEncode } from '../../../dist/reference/signing/index.js';

const right = inDialect(SVC);

const byBytes = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

const everyOther = (text, first) => [...text].filter((_, i) => i % 2 === first).join('');

/** Compares letters and digits, then capitals, then names: a collation, but not a known one. */
function collationKey(name) {
  const letters = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const capitals = [...name].map((one) => Number(one !== one.toLowerCase())).join('');
  return [letters, capitals, name].join('\0');
}

/** The wrong steps, each with a name for its effect. */
const SWAPS = {
  'joins-with-comma-and-space': { joinValues: (values) => values.join(', ') },
  'sorts-by-utf-16': { compareParameterNames: (a, b) => (a < b ? -1 : Number(a > b)) },
  'sorts-ignoring-case': {
    compareParameterNames: (a, b) => byBytes(a.toLowerCase(), b.toLowerCase()),
  },
  'sorts-by-a-collation-of-its-own': {
    sortedParameters: (pairs) =>
      pairs.toSorted(([a], [b]) => (collationKey(a) < collationKey(b) ? -1 : 1)),
  },
  'encodes-the-key': {
    canonicalResource: (bucket, key) => `/${bucket}/${key.split('/').map(urlEncode).join('/')}`,
  },
  // Malformed numbers are still refused: signing them would be a second mistake.
  'writes-numbers-as-javascript': {
    numberText: (digits) => right.steps.numberText(digits) && String(Number(digits)),
  },
  'escapes-spaces-as-plus': { urlEncode: (text) => urlEncode(text).replaceAll('%20', '+') },
  'trims-in-unicode': { trimValue: (value) => value.trim() },
  'cuts-long-keys': { hmacKeyBytes: (key) => new TextEncoder().encode(key).slice(0, 64) },
  'accepts-any-signature': { sameText: () => true },
  // Not a known mistake.
  'signs-every-other-character-first': {
    canonicalResource: (bucket, key) => `/${bucket}/${everyOther(key, 0)}${everyOther(key, 1)}`,
  },
};

/** @param {string} names separated by commas */
export function swapSteps(names) {
  const steps = Object.assign({}, ...names.split(',').map((name) => SWAPS[name]));
  return { ...right, steps: { ...right.steps, ...steps } };
}
