/**
 * Mistakes in the verb and in how the parts of the signed text are put together (§5.2).
 *
 * @module
 */
import { signedText } from '../signing/string-to-sign.ts';
import type { Mistake } from './mistake.ts';

/** Those of the service's own requests. */
const VERBS = /^(?:GET|HEAD|PUT|POST|DELETE)$/i;

const VERB: readonly Mistake[] = [
  {
    id: 'verb-as-given',
    rule: '5.2/verb-upper-case',
    swap: { verb: (method) => method },
    cause: 'the verb is signed in the case in which the caller gives it',
    fix: 'sign the verb in upper case',
    seen: 'ufile-rus3 0.1.12 (Rust)',
  },
  {
    id: 'verb-in-lower-case',
    rule: '5.2/verb',
    swap: { verb: (method) => method.toLowerCase() },
    cause: 'the verb is signed in lower case',
    fix: 'sign the verb in upper case',
  },
  {
    id: 'verb-unknown-as-get',
    rule: '5.2/verb',
    swap: { verb: (method) => (VERBS.test(method) ? method.toUpperCase() : 'GET') },
    cause: 'a verb outside the usual five is signed as GET',
    fix: 'sign the verb of the request, whatever it is',
    once: 'one verb outside the usual five stands for all others',
  },
];

const LAYOUT: readonly Mistake[] = [
  {
    id: 'text-with-crlf',
    rule: '5.2/verb',
    swap: { signedText: (parts) => signedText(parts).replaceAll('\n', '\r\n') },
    cause: 'the lines of the text end with CRLF',
    fix: 'end lines with a line feed alone, whatever the platform',
  },
  {
    id: 'text-with-backslash-n',
    rule: '5.2/verb',
    swap: { signedText: (parts) => signedText(parts).replaceAll('\n', '\\n') },
    cause: 'the text has a backslash and an n where a line feed belongs',
    fix: 'write line feeds (U+000A), not the two characters "\\n"',
  },
  {
    id: 'text-ends-with-line-feed',
    rule: '5.2/resource',
    swap: { signedText: (parts) => `${signedText(parts)}\n` },
    cause: 'the text ends with a line feed',
    fix: 'end the text with the resource',
  },
];

/** The first line, and what holds all parts together. */
export const STRING_TO_SIGN: readonly Mistake[] = [...VERB, ...LAYOUT];
