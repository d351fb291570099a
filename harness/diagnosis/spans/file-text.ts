/**
 * A shown string to sign of a file request against the expected one (§5.2, §5.4), part by part.
 *
 * @module
 */
import { urlDecode } from '../../../reference/signing/bytes.ts';
import type { Stages } from '../../suite/vector.ts';
import { aligned, type Pairing } from './alignment.ts';
import { extraHeaderSpans, isHeaderLine, linesOf } from './extra-headers.ts';
import type { Attribution, TextSpan } from './span.ts';

/** What makes a positional line, where its own text does not tell more. */
type Lines = readonly [verb: Attribution, md5: Attribution, type: Attribution, date: Attribution];

const VERB: Attribution = { step: 'verb', rule: '5.2/verb' };
const VALUE: Attribution = { step: 'positionalValue', rule: '5.2/positional-order' };
const HEADER_LINES: Lines = [VERB, VALUE, VALUE, VALUE];
const EMPTY: Attribution = { step: 'presignedPositionalValues', rule: '5.4/empty-positions' };
const URL_LINES: Lines = [
  VERB,
  EMPTY,
  EMPTY,
  { step: 'presignedPositionalValues', rule: '5.4/expires-position' },
];
const FORM_LINES: Lines = [
  VERB,
  { step: 'formPositionalValues', rule: '4.3/form-content-md5' },
  { step: 'formPositionalValues', rule: '4.3/form-content-type' },
  VALUE,
];

const OWN_LINES: Readonly<Record<string, Lines>> = {
  'presigned-url': URL_LINES,
  'verify-presigned-url': URL_LINES,
  'form-authorization': FORM_LINES,
};

/** Every differing span of the string to sign, in the order of the text. */
export function fileTextSpans(
  operation: string,
  expected: Stages,
  actual: string,
): readonly TextSpan[] {
  const text = String(expected['stringToSign']);
  if (text === actual) return [];
  const headers = linesOf(String(expected['canonicalHeaders']));
  // Header entries alone may end otherwise.
  const isEverywhere = !/(?<!\r)\n/.test(actual);
  if (isEverywhere && text === actual.replaceAll(/\r\n|\\n/g, '\n')) {
    const [lineEnd = ''] = /\r\n|\\n/.exec(actual) ?? [];
    const part = 'line ends';
    return [{ part, step: 'signedText', rule: '5.2/verb', expected: '\n', actual: lineEnd }];
  }
  const right = splitText(text, expected);
  const { positional, extra, end } = splitActual(actual, right, headers);
  const spans = [
    ...positionalSpans(operation, right.positional, positional, headers.length > 0),
    ...extraHeaderSpans(headers, extra),
    ...resourceSpans(operation, String(expected['canonicalResource']), right.end, end),
  ];
  // Every part is right, so their order is not.
  return spans.length > 0
    ? spans
    : [
        {
          part: 'the order of the parts',
          step: 'signedText',
          rule: '5.2/positional-order',
          expected: text,
          actual,
        },
      ];
}

interface Split {
  readonly positional: readonly string[];
  readonly end: string;
}

/** None of the first four lines can hold a line feed; a key can. */
function splitText(text: string, expected: Stages): Split {
  const positional = linesOf(text).slice(0, 4);
  const start = positional.join('').length + String(expected['canonicalHeaders']).length;
  return { positional, end: text.slice(start) };
}

function splitActual(
  actual: string,
  right: Split,
  headers: readonly string[],
): Split & { readonly extra: readonly string[] } {
  const { rest, end } = cutEnd(actual, right.end);
  const positional: string[] = [];
  const extra: string[] = [];
  for (const line of linesOf(rest)) {
    const isFolded = extra.length > 0 && /^[ \t]/.test(line);
    if (isFolded) extra.push((extra.pop() ?? '') + line);
    else if (!right.positional.includes(line) && isHeaderLine(line, headers)) extra.push(line);
    else positional.push(line);
  }
  return { positional, extra, end };
}

/** The resource is the end that is right or, where none is, the last line that starts with a slash or ends the text. */
function cutEnd(actual: string, end: string): { readonly rest: string; readonly end: string } {
  if (actual.endsWith(end)) return { rest: actual.slice(0, actual.length - end.length), end };
  const slash = actual.search(/(?<=^|\n)\//);
  const at = slash >= 0 ? slash : actual.replace(/\n$/, '').lastIndexOf('\n') + 1;
  return { rest: actual.slice(0, at), end: actual.slice(at) };
}

function positionalSpans(
  operation: string,
  expected: readonly string[],
  actual: readonly string[],
  hasHeaders: boolean,
): readonly TextSpan[] {
  const date = operation.includes('presigned-url') ? 'Expires' : 'Date';
  const names = ['verb', 'Content-MD5', 'Content-Type', date];
  let at = 0;
  return aligned(expected, actual).flatMap((pair): readonly TextSpan[] => {
    const [right, given] = pair;
    const index = right === undefined ? at - 1 : at++;
    if (right === given) return [];
    const part = `line ${index + 1} (${names[index] ?? 'verb'})`;
    const place = right === undefined ? `one line more after ${part}` : part;
    const own = (OWN_LINES[operation] ?? HEADER_LINES)[Math.max(index, 0)] ?? VALUE;
    return [
      {
        part: place,
        ...attribution(pair, own, hasHeaders),
        expected: right ?? '',
        actual: given ?? '',
      },
    ];
  });
}

const NAMED = /^(?:content-md5|content-type|date)[ \t]*:/i;

/** What the two lines tell of the step. */
function attribution([right, given]: Pairing, own: Attribution, hasHeaders: boolean): Attribution {
  if (own === VERB) {
    const isCase = right !== undefined && given?.toUpperCase() === right;
    return isCase ? { step: 'verb', rule: '5.2/verb-upper-case' } : VERB;
  }
  if (right === undefined && given === '\n') {
    return {
      step: 'joinHeaderEntries',
      rule: hasHeaders ? '5.2/headers-line-feed' : '5.2/headers-none',
    };
  }
  if (right === undefined && NAMED.test(given ?? '')) {
    return { step: 'isExtraHeader', rule: '5.2/headers-selected' };
  }
  if (given === undefined && right === '\n') {
    return { step: 'signedText', rule: '5.2/positional-absent' };
  }
  if (own !== VALUE || given === undefined || right === undefined) return own;
  if (NAMED.test(given)) {
    return { ...VALUE, rule: '5.2/positional-values' };
  }
  if (given.trim() === right.trim()) return { ...VALUE, rule: '5.2/positional-blanks' };
  return { ...VALUE, rule: right === '\n' ? '5.2/positional-absent' : '5.2/positional-values' };
}

/** The resource, and the policy behind it where there is one. */
export function resourceSpans(
  operation: string,
  resource: string,
  expected: string,
  actual: string,
): readonly TextSpan[] {
  if (expected === actual) return [];
  const policy = expected.slice(resource.length);
  const isPolicy = policy !== '' && actual.startsWith(resource);
  if (isPolicy) {
    const given = actual.slice(resource.length);
    const rule = '5.2/policy-signed';
    return [{ part: 'policy', step: 'signedText', rule, expected: policy, actual: given }];
  }
  return [{ part: 'resource', ...resourceRule(operation, expected, actual), expected, actual }];
}

function resourceRule(operation: string, expected: string, actual: string): Attribution {
  if (actual === `${expected}\n`) return { step: 'signedText', rule: '5.2/resource' };
  if (operation === 'instant-upload') {
    return { step: 'instantUploadKey', rule: '4.3/instant-upload-resource' };
  }
  const step = 'canonicalResource';
  if (urlDecode(actual) === expected || urlDecode(actual) === urlDecode(expected)) {
    return { step, rule: '5.2/resource-raw' };
  }
  const isEmptyKey = /^\/[^/]*\/$/.test(expected);
  return { step, rule: isEmptyKey ? '5.2/resource-empty-key' : '5.2/resource' };
}
