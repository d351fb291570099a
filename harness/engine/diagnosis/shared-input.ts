/**
 * Finds inputs that an SDK may be unable to express: features that all failures of a run share.
 *
 * @module
 */
import { isList, isNested, isNumber } from '../../../reference/mistakes/single-step/shared.ts';
import type { ParameterValue } from '../../../reference/signing/index.ts';
import type { Outcome, Run } from '../judge/outcome.ts';
import { isFailure } from '../judge/summary.ts';
import type { Input, Vector } from '../vector.ts';
import { listValues } from './conditions.ts';

/** A feature of an input, named as the object of a sentence. */
interface Feature {
  readonly what: string;
  readonly isIn: (input: Input) => boolean;
}

/** A feature counts only from this number of failures on, because few failures can share one by chance. */
const FEWEST_FAILURES = 2;

/** For each passing vector with a feature, at least this many must fail. */
const FAILURES_FOR_A_PASS = 4;

/** With more shared features, none of them is a likely reason. */
const MOST_FEATURES = 3;

const FOLD = /\n[ \t]/;
const BEYOND_ASCII = /[^\0-\x7f]/;

/** The features that SDKs most often cannot express come first: of several shared ones, the note names the first. */
const FEATURES: readonly Feature[] = [
  { what: 'no parameter PublicKey', isIn: lacksPublicKey },
  { what: 'a header name that appears twice', isIn: (input) => repeatsName(readHeaders(input)) },
  { what: 'a folded header value', isIn: anyHeader((value) => FOLD.test(value)) },
  {
    what: 'a header value with whitespace at its ends',
    isIn: anyHeader((value) => /^[ \t]|[ \t]$/.test(value)),
  },
  { what: 'an empty header value', isIn: anyHeader((value) => value === '') },
  {
    what: 'a header value with characters beyond ASCII',
    isIn: anyHeader((value) => BEYOND_ASCII.test(value)),
  },
  { what: 'a number among the parameters', isIn: anyValue(isNumber) },
  { what: 'a boolean among the parameters', isIn: anyValue((value) => typeof value === 'boolean') },
  { what: 'a parameter that is null', isIn: anyValue((value) => value === null) },
  { what: 'a list among the parameters', isIn: anyValue(isList) },
  {
    what: 'an object among the parameters',
    isIn: anyValue((value) => isNested(value) && !isList(value)),
  },
  { what: 'a list or an object among the parameters', isIn: anyValue(isNested) },
  { what: 'a parameter that is not a text', isIn: anyValue((value) => typeof value !== 'string') },
  {
    what: 'a parameter name that appears twice',
    isIn: (input) => repeatsName(readParameters(input)),
  },
  { what: 'an empty parameter value', isIn: anyValue((value) => value === '') },
  {
    what: 'a parameter Signature',
    isIn: (input) => readParameters(input).some(([name]) => name === 'Signature'),
  },
  { what: 'a callback policy', isIn: (input) => typeof input.policy === 'string' },
  { what: 'an empty key', isIn: (input) => input.key === '' },
  { what: 'a Date header', isIn: hasHeader('date') },
  { what: 'a Content-MD5 header', isIn: hasHeader('content-md5') },
];

/** The note about a feature that all failures share; `undefined` without such a feature. */
export function describeSharedInput({ outcomes }: Run): string | undefined {
  const failed = outcomes.filter(isFailure);
  const found = findSharedFeatures(outcomes, failed);
  if (found.length === 0) return undefined;
  const what = found.map((feature) => feature.what).join(' or ');
  return `each of the ${failed.length} failures has ${what}; if your SDK has no way to express it, reply {"unsupported": "why"} to such questions (PROTOCOL.md, "What an SDK cannot express")`;
}

/** The fewest features that cover all failures and that few passing vectors have. */
function findSharedFeatures(
  outcomes: readonly Outcome[],
  failed: readonly Outcome[],
): readonly Feature[] {
  const operations = new Set(failed.map(({ vector }) => vector.operation));
  const passed = outcomes.filter(
    ({ vector, verdict }) => verdict.status === 'pass' && operations.has(vector.operation),
  );
  const telling = FEATURES.filter((feature) => {
    const failures = filterByFeature(failed, feature).length;
    const passes = filterByFeature(passed, feature).length;
    return failures >= FEWEST_FAILURES && failures >= FAILURES_FOR_A_PASS * passes;
  });
  const chosen: Feature[] = [];
  let left = failed;
  while (left.length > 0 && chosen.length < MOST_FEATURES) {
    const uncovered = left;
    const [best] = telling.toSorted(
      (a, b) => filterByFeature(uncovered, b).length - filterByFeature(uncovered, a).length,
    );
    if (!best || filterByFeature(uncovered, best).length === 0) return [];
    chosen.push(best);
    left = uncovered.filter(({ vector }) => !hasFeature(vector, best));
  }
  return left.length > 0 ? [] : chosen;
}

function filterByFeature(outcomes: readonly Outcome[], feature: Feature): readonly Outcome[] {
  return outcomes.filter(({ vector }) => hasFeature(vector, feature));
}

/** Also looks at the control, because a refusal fails if its control does. */
function hasFeature({ input, control }: Vector, { isIn }: Feature): boolean {
  return isIn(input) || (control !== undefined && isIn({ ...input, ...control.input }));
}

type Pair = readonly [name: string, value: ParameterValue];

/** The headers, and the fields of a form. */
function readHeaders({ headers = [], fields = [] }: Input): readonly Pair[] {
  return [...headers, ...fields];
}

function readParameters({ parameters = [] }: Input): readonly Pair[] {
  return parameters;
}

function repeatsName(given: readonly Pair[]): boolean {
  return new Set(given.map(([name]) => name.toLowerCase())).size < given.length;
}

function lacksPublicKey(input: Input): boolean {
  const names = readParameters(input).map(([name]) => name);
  return names.length > 0 && !names.includes('PublicKey');
}

function anyHeader(isMeant: (value: string) => boolean): Feature['isIn'] {
  return (input) => readHeaders(input).some(([, value]) => isMeant(String(value)));
}

function hasHeader(wanted: string): Feature['isIn'] {
  return (input) => readHeaders(input).some(([name]) => name.toLowerCase() === wanted);
}

/** Tests the values of parameters, also those inside lists and objects. */
function anyValue(isMeant: (value: ParameterValue) => boolean): Feature['isIn'] {
  return (input) => readParameters(input).some(([, value]) => listValues(value).some(isMeant));
}
