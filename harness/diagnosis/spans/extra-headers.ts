/**
 * Shown lines of extra headers against the expected ones (§5.2, canonicalized extra headers), by name.
 *
 * @module
 */
import type { Attribution, TextSpan } from './span.ts';

/** Each line with its line feed; the last one may have none. */
export function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]+\n?|\n/g) ?? [];
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?=[ \t]*:)/;

function nameOf(line: string): string | undefined {
  return NAME.exec(line)?.[0].toLowerCase();
}

/** Whether a line is one of an extra header: by an expected name, or by how such names start in most dialects. */
export function isHeaderLine(line: string, expected: readonly string[]): boolean {
  const name = nameOf(line);
  if (name === undefined) return false;
  return name.startsWith('x-') || expected.some((right) => nameOf(right) === name);
}

/** The differing spans, in the order of the expected lines. */
export function extraHeaderSpans(
  expected: readonly string[],
  actual: readonly string[],
): readonly TextSpan[] {
  const own = (lines: readonly string[], name: string | undefined): readonly string[] =>
    lines.filter((line) => nameOf(line) === name);
  const names = (lines: readonly string[]): readonly (string | undefined)[] => [
    ...new Set(lines.map(nameOf)),
  ];
  const changed = expected.flatMap((right): readonly TextSpan[] => {
    const given = own(actual, nameOf(right)).join('');
    const part = `header ${nameOf(right)}`;
    const rule = headerRule(right, own(actual, nameOf(right)));
    // A line that hangs on to another one is not missing.
    const isGlued = given === '' && actual.some((line) => line.includes(right.slice(0, -1)));
    return given === right || isGlued ? [] : [{ part, ...rule, expected: right, actual: given }];
  });
  const more = actual
    .filter((line) => own(expected, nameOf(line)).length === 0)
    .map(
      (line): TextSpan => ({
        part: `header ${nameOf(line)}, which is not signed`,
        step: 'isExtraHeader',
        rule: '5.2/headers-selected',
        expected: '',
        actual: line,
      }),
    );
  const shared = names(expected).filter((name) => names(actual).includes(name));
  const order = names(actual).filter((name) => shared.includes(name));
  return [...changed, ...more, ...orderSpans(shared, order)];
}

/** Which step makes one header's entry differ so. */
function headerRule(right: string, given: readonly string[]): Attribution {
  const [first] = given;
  if (first === undefined) {
    return right.endsWith(':\n')
      ? { step: 'headerEntry', rule: '5.2/headers-empty-value' }
      : { step: 'isExtraHeader', rule: '5.2/headers-selected' };
  }
  const colon = first.indexOf(':');
  if (given.some((line) => /^[^:]*[ \t]:/.test(line))) {
    return { step: 'trimName', rule: '5.2/headers-colon-blanks' };
  }
  if (!given.every((line) => line.startsWith(right.slice(0, colon + 1)))) {
    return { step: 'lowerCaseName', rule: '5.2/headers-lower-case' };
  }
  if (given.length > 1) return { step: 'joinValues', rule: '5.2/headers-merged' };
  return valueRule(right.slice(colon + 1), first.slice(colon + 1));
}

function valueRule(right: string, given: string): Attribution {
  const isGlued = given.startsWith(right.slice(0, -1)) && NAME.test(given.slice(right.length - 1));
  if (isGlued || !given.endsWith('\n') || given.endsWith('\r\n')) {
    return { step: 'headerEntry', rule: '5.2/headers-line-feed' };
  }
  if (given.trimEnd() === right.trimEnd()) {
    return { step: 'trimValue', rule: '5.2/headers-trailing-blanks' };
  }
  if (given.trim() === right.trim()) return { step: 'trimValue', rule: '5.2/headers-colon-blanks' };
  if (/[\r\n]/.test(given.slice(0, -1))) return { step: 'unfold', rule: '5.2/headers-unfolded' };
  const bare = (text: string): string => text.replaceAll(/[ \t]+/g, '');
  const commas = (text: string): string => text.replaceAll(/(?<![ \t])[ \t]*[,;][ \t]*/g, ',');
  if (commas(given) === commas(right)) return { step: 'joinValues', rule: '5.2/headers-merged' };
  if (bare(given) === bare(right)) return { step: 'unfold', rule: '5.2/headers-inner-blanks' };
  if (given.toLowerCase() === right.toLowerCase()) {
    return { step: 'headerEntry', rule: '5.2/headers-lower-case' };
  }
  const isCutAtBlank = right.startsWith(`${given.trimEnd()} `);
  if (isCutAtBlank) return { step: 'unfold', rule: '5.2/headers-unfolded' };
  return right.includes(',')
    ? { step: 'joinValues', rule: '5.2/headers-merged' }
    : { step: 'trimValue', rule: '5.2/headers-inner-blanks' };
}

/** The names that stand in another order, from the first to the last of them. */
function orderSpans(
  expected: readonly (string | undefined)[],
  actual: readonly (string | undefined)[],
): readonly TextSpan[] {
  const moved = expected.filter((name, i) => name !== actual[i]);
  if (moved.length === 0) return [];
  return [
    {
      part: 'order of the headers',
      step: 'compareHeaderNames',
      rule: '5.2/headers-sorted',
      expected: moved.join(', '),
      actual: actual.filter((name) => moved.includes(name)).join(', '),
    },
  ];
}
