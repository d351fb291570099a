/**
 * Causes that change no step of the specification: another dialect, another request and another key.
 *
 * A diagnosis gives them concrete sentences; these are the sentences of their pages.
 *
 * @module
 */
import type { Cause } from '../../reference/mistakes/index.ts';
import { WRONG_DIALECT } from './dialects.ts';

export const EARLIER_REQUESTS = 'earlier-requests';
export const CHANGING_ANSWERS = 'changing-answers';
export const EXCEPTION_FOR_REFUSAL = 'exception-for-refusal';
export const EXCEPTION = 'exception';
export const UNDUE_REFUSAL = 'undue-refusal';

/** Causes with one rule and one fix, by their ids. */
function listCauses(
  rule: string,
  fix: string,
  wrongs: Readonly<Record<string, string>>,
): readonly Cause[] {
  return Object.entries(wrongs).map(([id, wrong]) => ({ id, rule, wrong, fix }));
}

/** The request that is sent is not the one that was signed. */
const RESOURCES = listCauses(
  '5.2/resource',
  'sign the bucket and the key of the request that you send, as /BUCKET/KEY',
  {
    'key-as-sent': 'the key was signed with the escapes of the path',
    'key-with-slash-before': 'the key was signed with a slash before it',
    'key-by-last-name': 'only the part of the key after its last slash was signed',
    'key-in-lower-case': 'the key was signed in lower case',
    'key-left-out': 'the request was signed without its key',
    'host-as-bucket': 'the whole host was signed as the bucket',
    'bucket-in-path': 'the bucket is both in the path and in the host',
  },
);

const TEXTS_OF_SDKS = listCauses(
  '5.2/resource',
  'sign only the text of §5.2; the service probably accepts the other text from SDKs',
  {
    'copy-source-lines': 'the headers of the copied file are signed, as the Java SDK does',
    'list-parameters':
      'the parameters of the listing are signed after the resource, as the SDKs for Python and C++ do',
    'raw-append-query': 'the query is signed with the resource, as the PHP SDK does',
  },
);

const KEY = '5/key-of-account';

export const OTHER_CAUSES: readonly Cause[] = [
  {
    id: WRONG_DIALECT,
    rule: '5.2/header-form',
    wrong: 'the implementation uses the words of another dialect',
    fix: 'pass the dialect of the implementation with --dialect, or configure the implementation for the dialect of the server',
  },
  {
    id: EARLIER_REQUESTS,
    rule: '5/match-accepted',
    wrong:
      'the answer depends on the requests before it: alone, in a new process, the same request gets another answer',
    fix: 'keep nothing of a request for the next one: no cached signature or key, and no object, header list, hash or regular expression that several calls change',
  },
  {
    id: CHANGING_ANSWERS,
    rule: '5/match-accepted',
    wrong: 'the same request gets another answer each time',
    fix: 'sign only what the request holds: no time of the call, no random value, and no order that changes between runs',
  },
  {
    id: EXCEPTION,
    rule: '5/match-accepted',
    wrong: 'every request of an operation ends with an exception',
    fix: 'repair the code that throws, then run again: these answers show nothing else',
  },
  {
    id: EXCEPTION_FOR_REFUSAL,
    rule: '5/mismatch-refused',
    wrong: 'an exception ends the call where the request has to be refused',
    fix: 'before the call that throws, check what it requires of its input, such as valid escapes or texts of equal length, and refuse the request if the check fails',
  },
  {
    id: UNDUE_REFUSAL,
    rule: '5/match-accepted',
    wrong: 'a correct request is refused, or leads to an exception',
    fix: 'accept the request: remove the check that refuses it, or handle the value that leads to the exception',
  },
  {
    id: 'header-added-after-signing',
    rule: '5.2/headers-selected',
    wrong: 'the client adds a header after it signs the request',
    fix: 'sign what is sent; if the HTTP client adds the header, set the header yourself and sign that value',
  },
  {
    id: 'content-type-changed-after-signing',
    rule: '5.2/positional-values',
    wrong: 'the client changes the Content-Type after it signs the request',
    fix: 'send the signed Content-Type, or sign the one that you send',
  },
  {
    id: 'form-content-type-of-another',
    rule: '4.3/form-content-type',
    wrong: "the form is signed with another Content-Type than the one of the file's field",
    fix: "sign the file's own type, and send it as the form field Content-Type",
  },
  {
    id: 'verb-of-another-request',
    rule: '5.2/verb',
    wrong: 'the request is signed with one verb and sent with another',
    fix: 'sign the verb that is sent',
  },
  ...RESOURCES,
  ...TEXTS_OF_SDKS,
  {
    id: 'signed-twice',
    rule: '5/mismatch-refused',
    wrong: 'the request has two signatures: one in the header Authorization and one in its query',
    fix: 'send one signature; the service accepts only one',
  },
  {
    id: 'parameter-added-after-signing',
    rule: '5.1/all-parameters',
    wrong: 'the client adds a parameter after it signs the request',
    fix: 'add every parameter before signing',
  },
  {
    id: 'space-sent-as-plus',
    rule: '5.3/space',
    wrong: 'spaces are written as "+" in the query, which §5.3 reads as a plus',
    fix: 'write a space as "%20"',
  },
  {
    id: 'password-sent-in-clear',
    rule: '4.2/password-signed-encoded',
    wrong: 'the password is signed in Base64 but sent as plain text',
    fix: 'send the Base64 of the password, and sign what is sent',
  },
  {
    id: 'private-key-with-line-end',
    rule: KEY,
    wrong: 'the client signs with a line break at the end of the private key',
    fix: 'remove the line break after reading the key from a file',
  },
  {
    id: 'private-key-trimmed',
    rule: KEY,
    wrong: 'the client signs with the private key without the whitespace around it',
    fix: 'keep the whitespace of the private key in the client, or remove it in the server',
  },
  {
    id: 'public-key-for-private-key',
    rule: KEY,
    wrong: 'the client signs with the public key instead of the private key',
    fix: 'sign with the private key',
  },
];

/** The cause with an id, in general words. */
export function findOtherCause(id: string): Cause | undefined {
  return OTHER_CAUSES.find((cause) => cause.id === id);
}

/** @throws Error if no cause has this id */
export function otherCause(id: string): Cause {
  const cause = findOtherCause(id);
  if (!cause) throw new Error(`the cause ${id} has no words in other-causes.ts`);
  return cause;
}
