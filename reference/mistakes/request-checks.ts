/**
 * Mistakes in refusing what no request can carry (§4.3, §5.2).
 *
 * @module
 */
import { isExtraHeader } from '../signing/canonical-headers.ts';
import { checkRequest } from '../signing/file-signature.ts';
import type { FileRequest, Pair } from '../signing/types.ts';
import type { Mistake } from './mistake.ts';

/** The request with its headers replaced by ones that pass wherever nobody looks. */
function withHeaders(request: FileRequest, seen: (header: Pair) => Pair): FileRequest {
  return { ...request, headers: request.headers.map(seen) };
}

/** What is not looked at before it is signed. */
export const REQUEST_CHECKS: readonly Mistake[] = [
  {
    id: 'verb-unchecked',
    rule: '5.2/verb-token',
    swap: { checkRequest: (request) => checkRequest({ ...request, method: 'GET' }) },
    cause: 'a verb that HTTP cannot send is signed',
    fix: 'refuse a verb that is not a token',
    seen: 'ufile 3.2.11 (Python), ufile-gosdk 1.0.3 (Go)',
  },
  {
    id: 'bucket-unchecked',
    rule: '5.2/resource-bucket',
    swap: { checkRequest: (request) => checkRequest({ ...request, bucket: 'any' }) },
    cause: 'an empty bucket name, or one with a slash, is signed',
    fix: 'refuse a bucket name that cannot be the first label of a host',
    seen: 'ufile 3.2.11 (Python), ufile-gosdk 1.0.3 (Go), ufile-client-java 2.6.6, ufile-rus3 0.1.12 (Rust)',
  },
  {
    id: 'header-names-unchecked',
    rule: '5.2/headers-name-token',
    swap: {
      checkRequest: (request) => checkRequest(withHeaders(request, ([, value]) => ['Any', value])),
    },
    cause: 'header names that HTTP cannot send are signed',
    fix: 'refuse a header name that is not a token',
    seen: 'ufile 3.2.11 (Python), ufile-gosdk 1.0.3 (Go)',
  },
  {
    id: 'header-values-unchecked',
    rule: '5.2/headers-value-line-end',
    swap: { checkRequest: (request) => checkRequest(withHeaders(request, ([name]) => [name, ''])) },
    cause: 'a line end in a header value is signed, so that one header can pass for two',
    fix: 'refuse a value with a line end that is not a fold',
    seen: 'ufile 3.2.11 (Python), ufile-gosdk 1.0.3 (Go), ufile-client-java 2.6.6, ufile-rus3 0.1.12 (Rust)',
  },
  {
    id: 'header-values-checked-for-crlf-only',
    rule: '5.2/headers-value-line-end',
    swap: {
      checkRequest: (request) =>
        checkRequest(
          withHeaders(request, ([name, value]) => [name, value.includes('\r\n') ? value : '']),
        ),
    },
    cause: 'only CRLF is looked for in header values, not a bare line feed or carriage return',
    fix: 'refuse a bare line feed, a bare carriage return and a NUL as well',
  },
  {
    id: 'headers-unsigned-unchecked',
    rule: '5.2/headers-value-line-end',
    swap: {
      checkRequest: (request) =>
        checkRequest(
          withHeaders(request, ([name, value]) =>
            isExtraHeader(name, 'X-') ? [name, value] : ['Any', ''],
          ),
        ),
    },
    cause: 'headers that are no extra headers are not checked',
    fix: 'check the names and values of all headers of the request',
  },
];
