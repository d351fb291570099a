/**
 * Mistakes in refusing what no request can carry (§4.2, §4.3, §5.2).
 *
 * @module
 */
import { checkPresent } from '../signing/action-forms.ts';
import { isExtraHeader } from '../signing/canonical-headers.ts';
import { checkBucket } from '../signing/file-signature.ts';
import { checkHeaders, checkHeaderValue } from '../signing/header-lines.ts';
import { fileHostName } from '../signing/presigned-url.ts';
import type { Mistake } from './mistake.ts';

const checkNothing = (): void => {};

/** Refuses the empty name alone. */
const checkIsNamed = (bucket: string): void => checkBucket(bucket.replaceAll('/', '-'));

/** What is not looked at before it is signed. */
export const REQUEST_CHECKS: readonly Mistake[] = [
  {
    id: 'action-not-required',
    rule: '4.2/action-required',
    swap: {
      checkPresent: (parameters, required, section) =>
        checkPresent(
          parameters,
          required.filter((name) => name !== 'Action'),
          section,
        ),
    },
    cause: 'a request without Action is signed',
    fix: 'refuse a request that names no operation',
    seen: 'ucloud-sdk-go 0.22.17, ufile-gosdk 1.0.3 (Go), ucloud-sdk-java-common 1.2.26',
  },
  {
    id: 'public-key-not-required',
    rule: '4.2/public-key-required',
    swap: {
      checkPresent: (parameters, required, section) =>
        checkPresent(
          parameters,
          required.filter((name) => name !== 'PublicKey'),
          section,
        ),
    },
    cause: 'a request without PublicKey is signed as it is',
    fix: 'add the public key of the key pair, or refuse a request that names no account',
  },
  {
    id: 'verb-unchecked',
    rule: '5.2/verb-token',
    swap: { checkMethod: checkNothing },
    cause: 'a verb that HTTP cannot send is signed',
    fix: 'refuse a verb that is not a token',
    seen: 'ufile 3.2.11 (Python), ufile-gosdk 1.0.3 (Go)',
  },
  {
    id: 'bucket-unchecked',
    rule: '5.2/resource-bucket',
    swap: { checkBucket: checkNothing },
    cause: 'an empty bucket name, or one with a slash, is signed',
    fix: 'refuse a bucket name that cannot be the first label of a host',
    seen: 'ufile 3.2.11 (Python), ufile-gosdk 1.0.3 (Go), ufile-rus3 0.1.12 (Rust)',
  },
  {
    id: 'bucket-slash-unchecked',
    rule: '5.2/resource-bucket',
    swap: { checkBucket: checkIsNamed },
    cause: 'an empty bucket name is refused, but not one with a slash',
    fix: 'refuse a bucket name with a slash as well',
    seen: 'ufile-client-java 2.6.6',
  },
  {
    id: 'bucket-slash-ends-host',
    rule: '5.2/resource-bucket',
    swap: {
      checkBucket: checkIsNamed,
      fileHostName: (...given) => fileHostName(...given).replace(/\/.*/s, ''),
    },
    cause: 'a bucket name with a slash is signed, and ends the host of the URL',
    fix: 'refuse a bucket name with a slash: the URL leads to a host that the name chooses',
    seen: 'ufile-gosdk 1.0.3 (Go)',
  },
  {
    id: 'header-names-unchecked',
    rule: '5.2/headers-name-token',
    swap: { checkHeaderName: checkNothing },
    cause: 'header names that HTTP cannot send are signed',
    fix: 'refuse a header name that is not a token',
    seen: 'ufile-gosdk 1.0.3 (Go)',
  },
  {
    id: 'header-values-unchecked',
    rule: '5.2/headers-value-line-end',
    swap: { checkHeaderValue: checkNothing },
    cause: 'a line end in a header value is signed, so that one header can pass for two',
    fix: 'refuse a value with a line end that is not a fold',
    seen: 'ufile-gosdk 1.0.3 (Go), ufile-client-java 2.6.6, ufile-rus3 0.1.12 (Rust)',
  },
  {
    id: 'header-values-checked-for-crlf-only',
    rule: '5.2/headers-value-line-end',
    swap: {
      checkHeaderValue: (name, value) =>
        checkHeaderValue(name, value.includes('\r\n') ? value : ''),
    },
    cause: 'only CRLF is looked for in header values, not a bare line feed or carriage return',
    fix: 'refuse a bare line feed, a bare carriage return and a NUL as well',
  },
  {
    id: 'headers-unsigned-unchecked',
    rule: '5.2/headers-value-line-end',
    swap: {
      checkHeaders: (headers, context) =>
        checkHeaders(
          headers.filter(([name]) => isExtraHeader(name, 'X-')),
          context,
        ),
    },
    cause: 'headers that are no extra headers are not checked',
    fix: 'check the names and values of all headers of the request',
    seen: 'ufile 3.2.11 (Python)',
  },
];
