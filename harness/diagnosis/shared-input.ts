/**
 * Inputs that an SDK may have no way to express, recognized by what all failures of a run have in common.
 *
 * @module
 */
import type { Outcome, Run } from '../run.ts';
import type { Input, Vector } from '../suite/vector.ts';
import { isFailure } from '../verdict.ts';

/** What an input has, as the object of a sentence. */
interface Feature {
  readonly what: string;
  readonly isIn: (input: Input) => boolean;
}

/** Fewer failures have something in common by chance. */
const FEWEST_FAILURES = 2;

/** For each vector that passes with it, at least so many fail. */
const FAILURES_FOR_A_PASS = 4;

/** More inputs than this are no pattern. */
const MOST_FEATURES = 3;

const FOLD = /\n[ \t]/;
const BEYOND_ASCII = /[^\0-\x7f]/;

/** The likeliest to be inexpressible first: of several that the failures share, the first is named. */
const FEATURES: readonly Feature[] = [
  { what: 'no parameter PublicKey', isIn: lacksPublicKey },
  { what: 'a header name that appears twice', isIn: (input) => repeats(headers(input)) },
  { what: 'a folded header value', isIn: ofHeader((value) => FOLD.test(value)) },
  {
    what: 'a header value with whitespace at its ends',
    isIn: ofHeader((value) => /^[ \t]|[ \t]$/.test(value)),
  },
  { what: 'an empty header value', isIn: ofHeader((value) => value === '') },
  {
    what: 'a header value beyond ASCII',
    isIn: ofHeader((value) => BEYOND_ASCII.test(value)),
  },
  { what: 'a number among the parameters', isIn: ofValue((value) => isTagged(value, 'number')) },
  { what: 'a boolean among the parameters', isIn: ofValue((value) => typeof value === 'boolean') },
  { what: 'a null among the parameters', isIn: ofValue((value) => value === null) },
  { what: 'a list among the parameters', isIn: ofValue((value) => isTagged(value, 'list')) },
  { what: 'an object among the parameters', isIn: ofValue((value) => isTagged(value, 'object')) },
  {
    what: 'a list or an object among the parameters',
    isIn: ofValue((value) => isTagged(value, 'list') || isTagged(value, 'object')),
  },
  { what: 'a parameter that is not a text', isIn: ofValue((value) => typeof value !== 'string') },
  { what: 'a parameter name that appears twice', isIn: (input) => repeats(parameters(input)) },
  { what: 'an empty parameter value', isIn: ofValue((value) => value === '') },
  {
    what: 'a parameter Signature',
    isIn: (input) => parameters(input).some(([name]) => name === 'Signature'),
  },
  { what: 'a callback policy', isIn: (input) => typeof input['policy'] === 'string' },
  { what: 'an empty key', isIn: (input) => input['key'] === '' },
  { what: 'a Date header', isIn: ofName('date') },
  { what: 'a Content-MD5 header', isIn: ofName('content-md5') },
];

/** How a shared input is reported; nothing where the failures have none in common. */
export function sharedInputNote({ outcomes }: Run): string | undefined {
  const failed = outcomes.filter(isFailure);
  const found = sharedFeatures(outcomes, failed);
  if (found.length === 0) return undefined;
  const what = found.map((feature) => feature.what).join(' or ');
  return `each of the ${failed.length} failures has ${what}; if your SDK has no way to express it, reply {"unsupported": "why"} to such questions (PROTOCOL.md, "What an SDK cannot express")`;
}

/** The fewest features, of those that hardly any passing vector has, that cover all failures. */
function sharedFeatures(
  outcomes: readonly Outcome[],
  failed: readonly Outcome[],
): readonly Feature[] {
  const operations = new Set(failed.map(({ vector }) => vector.operation));
  const passed = outcomes.filter(
    ({ vector, verdict }) => verdict.status === 'pass' && operations.has(vector.operation),
  );
  const telling = FEATURES.filter((feature) => {
    const failures = withFeature(failed, feature).length;
    const passes = withFeature(passed, feature).length;
    return failures >= FEWEST_FAILURES && failures >= FAILURES_FOR_A_PASS * passes;
  });
  const chosen: Feature[] = [];
  let left = failed;
  while (left.length > 0 && chosen.length < MOST_FEATURES) {
    const uncovered = left;
    const [best] = telling.toSorted(
      (a, b) => withFeature(uncovered, b).length - withFeature(uncovered, a).length,
    );
    if (!best || withFeature(uncovered, best).length === 0) return [];
    chosen.push(best);
    left = uncovered.filter(({ vector }) => !hasFeature(vector, best));
  }
  return left.length > 0 ? [] : chosen;
}

function withFeature(outcomes: readonly Outcome[], feature: Feature): readonly Outcome[] {
  return outcomes.filter(({ vector }) => hasFeature(vector, feature));
}

/** A refusal whose control has the feature can fail for the control's sake. */
function hasFeature({ input, control }: Vector, { isIn }: Feature): boolean {
  return isIn(input) || (control !== undefined && isIn({ ...input, ...control.input }));
}

type Pair = readonly [name: string, value: unknown];

/** The header list, and the fields of a form. */
function headers(input: Input): readonly Pair[] {
  return [...pairs(input['headers']), ...pairs(input['fields'])];
}

function parameters(input: Input): readonly Pair[] {
  return pairs(input['parameters']);
}

function pairs(given: unknown): readonly Pair[] {
  if (!Array.isArray(given)) return [];
  return given.filter((pair): pair is Pair => Array.isArray(pair) && typeof pair[0] === 'string');
}

function repeats(given: readonly Pair[]): boolean {
  return new Set(given.map(([name]) => name.toLowerCase())).size < given.length;
}

function lacksPublicKey(input: Input): boolean {
  const names = parameters(input).map(([name]) => name);
  return names.length > 0 && !names.includes('PublicKey');
}

function ofHeader(isMeant: (value: string) => boolean): Feature['isIn'] {
  return (input) => headers(input).some(([, value]) => isMeant(String(value)));
}

function ofName(wanted: string): Feature['isIn'] {
  return (input) => headers(input).some(([name]) => name.toLowerCase() === wanted);
}

/** Of a value of a parameter, or one inside a list or an object. */
function ofValue(isMeant: (value: unknown) => boolean): Feature['isIn'] {
  const isIn = (value: unknown): boolean => isMeant(value) || insideOf(value).some(isIn);
  return (input) => parameters(input).some(([, value]) => isIn(value));
}

function insideOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('list' in value && Array.isArray(value.list)) return value.list;
  return 'object' in value ? pairs(value.object).map(([, inner]) => inner) : [];
}

function isTagged(value: unknown, tag: string): boolean {
  return typeof value === 'object' && value !== null && tag in value;
}
