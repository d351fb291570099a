/**
 * Mistakes in choosing, naming and sorting extra headers (§5.2, steps 1 and 2).
 *
 * @module
 */
import { compareBytes } from '../signing/byte-order.ts';
import { canonicalHeaders, isExtraHeader } from '../signing/canonical-headers.ts';
import type { Context } from '../signing/steps.ts';
import type { Mistake } from './mistake.ts';

const POSITIONAL = /^(?:content-md5|content-type|date)$/i;

/** The same steps, but for the order of the extra headers: they stay as they come. */
function unsorted(context: Context): Context {
  return { ...context, steps: { ...context.steps, compareHeaderNames: () => 0 } };
}

const SELECTION: readonly Mistake[] = [
  {
    id: 'headers-left-out',
    rule: '5.2/headers-selected',
    swap: { isExtraHeader: () => false },
    cause: 'extra headers are sent but not signed',
    fix: 'put every header that starts with the prefix into the signed text',
    seen: 'ufile-gosdk 1.0.3 (Go), ufile-phpsdk (PHP)',
  },
  {
    id: 'headers-prefix-as-documented',
    rule: '5.2/headers-selected',
    swap: { isExtraHeader: (name, prefix) => name.startsWith(prefix) },
    cause: 'only headers with the prefix in the capitals of the documentation are signed',
    fix: 'look for the prefix without regard to case',
  },
  {
    id: 'headers-prefix-in-lower-case',
    rule: '5.2/headers-selected',
    swap: { isExtraHeader: (name, prefix) => name.startsWith(prefix.toLowerCase()) },
    cause: 'header names are compared with the lower-case prefix before they are converted',
    fix: 'convert the name to lower case, then look for the prefix',
  },
  {
    id: 'headers-prefix-without-hyphen',
    rule: '5.2/headers-selected',
    swap: { isExtraHeader: (name, prefix) => isExtraHeader(name, prefix.slice(0, -1)) },
    cause: 'the prefix is taken without its last hyphen, so other headers are signed as well',
    fix: 'compare names with the whole prefix, its last hyphen included',
  },
  {
    id: 'headers-prefix-anywhere',
    rule: '5.2/headers-selected',
    swap: {
      isExtraHeader: (name, prefix) => name.toLowerCase().includes(prefix.toLowerCase()),
    },
    cause: 'headers with the prefix anywhere in their name are signed',
    fix: 'look for the prefix at the start of the name only',
  },
  {
    id: 'headers-metadata-only',
    rule: '5.2/headers-selected',
    swap: { isExtraHeader: (name, prefix) => isExtraHeader(name, `${prefix}Meta-`) },
    cause: 'only metadata headers are signed',
    fix: 'sign every header that starts with the prefix, metadata or not',
  },
  {
    id: 'headers-all-x',
    rule: '5.2/headers-selected',
    swap: { isExtraHeader: (name) => isExtraHeader(name, 'X-') },
    cause: 'every header that starts with "X-" is signed',
    fix: "sign only the headers with the service's own prefix",
  },
  {
    id: 'headers-with-positional',
    rule: '5.2/headers-selected',
    swap: {
      isExtraHeader: (name, prefix) => isExtraHeader(name, prefix) || POSITIONAL.test(name),
    },
    cause: 'Content-MD5, Content-Type and Date are signed once more among the extra headers',
    fix: 'list only headers with the prefix; the other three have lines of their own',
  },
  {
    id: 'headers-underscore-as-hyphen',
    rule: '5.2/headers-lower-case',
    swap: {
      isExtraHeader: (name, prefix) => isExtraHeader(name.replaceAll('_', '-'), prefix),
      lowerCaseName: (name) => name.toLowerCase().replaceAll('_', '-'),
    },
    cause: 'an underscore in a header name becomes a hyphen, as names from CGI variables do',
    fix: 'take header names from the request as it is, not from environment variables',
  },
  {
    id: 'headers-names-as-written',
    rule: '5.2/headers-lower-case',
    swap: { lowerCaseName: (name) => name },
    cause: 'header names are signed in the case in which they are written',
    fix: 'convert header names to lower case',
  },
  {
    id: 'headers-names-in-title-case',
    rule: '5.2/headers-lower-case',
    swap: {
      lowerCaseName: (name) =>
        name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase()),
    },
    cause: 'header names are signed with capitals, as HTTP libraries write them',
    fix: 'convert header names to lower case',
  },
  {
    id: 'headers-names-in-turkish',
    rule: '5.2/headers-lower-case',
    swap: { lowerCaseName: (name) => name.replaceAll('I', 'ı').toLowerCase() },
    cause:
      'names are converted to lower case by the rules of the locale, in Turkish with an ı for I',
    fix: 'convert names by the rules of ASCII, whatever the locale',
  },
];

const ORDER: readonly Mistake[] = [
  {
    id: 'headers-as-in-the-worked-example',
    rule: '5.2/headers-sorted',
    swap: { compareHeaderNames: () => 0 },
    cause: 'extra headers stay in the order of the request, as in the worked example',
    fix: 'sort extra headers by name; the prose rule governs, not the example',
  },
  {
    id: 'headers-sorted-as-written',
    rule: '5.2/headers-sorted',
    swap: {
      canonicalHeaders: (headers, context) =>
        canonicalHeaders(
          headers.toSorted(([a], [b]) => compareBytes(a, b)),
          unsorted(context),
        ),
    },
    cause: 'headers are sorted before their names are converted, so capitals come first',
    fix: 'convert names to lower case, then sort',
  },
  {
    id: 'headers-sorted-in-upper-case',
    rule: '5.2/headers-sorted',
    swap: {
      compareHeaderNames: (a, b) => compareBytes(a.toUpperCase(), b.toUpperCase()),
    },
    cause: 'names are compared in upper case, which puts an underscore behind the letters',
    fix: 'compare the lower-case names byte by byte',
  },
  {
    id: 'headers-sorted-as-lines',
    rule: '5.2/headers-sorted',
    swap: { joinHeaderEntries: (entries) => entries.toSorted(compareBytes).join('') },
    cause: 'whole lines are sorted, so the colon takes part in the comparison',
    fix: 'sort by name alone, then write the lines',
  },
  {
    id: 'headers-sorted-by-number',
    rule: '5.2/headers-sorted',
    swap: {
      compareHeaderNames: (a, b) => {
        const padded = (name: string) => name.replace(/\d+/g, (digits) => digits.padStart(20, '0'));
        return compareBytes(padded(a), padded(b));
      },
    },
    cause: 'names are sorted naturally, by the numbers in them',
    fix: 'compare names byte by byte, digits as characters',
  },
  {
    id: 'headers-sorted-by-locale',
    rule: '5.2/headers-sorted',
    swap: { compareHeaderNames: new Intl.Collator('en').compare },
    cause: 'names are sorted by the rules of a language, which weigh punctuation in their own way',
    fix: 'compare names byte by byte',
  },
];

/** Which extra headers are signed, under which names, in which order. */
export const HEADERS: readonly Mistake[] = [...SELECTION, ...ORDER];
