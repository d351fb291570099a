/**
 * Requests from web pages of anywhere (Cross-Origin Resource Sharing).
 *
 * @module
 */

import type { HeaderList } from '../../signing/index.ts';
import { emptyAnswer } from '../answer.ts';
import type { FileOperation } from '../service.ts';
import { headerOf, type WireRequest } from '../wire-request.ts';

/** The question of a browser before the request itself; nobody signs it. */
export const preflight: FileOperation = {
  name: 'OPTIONS',
  isPublicRead: true,
  signedIn: 'nowhere',
  async answer({ wire }) {
    const asked = headerOf(wire, 'Access-Control-Request-Headers');
    return emptyAnswer(204, [
      ['Access-Control-Allow-Methods', 'GET, HEAD, PUT, POST, DELETE'],
      ...(asked ? [['Access-Control-Allow-Headers', asked] as const] : []),
      ['Access-Control-Max-Age', '600'],
    ]);
  },
};

/** What a page may see; goes into every answer to a bucket, errors too. */
const EXPOSED =
  'ETag, Content-Length, Content-Range, Last-Modified, X-SessionId, X-Ufile-Storage-Class, X-Ufile-Create-Time, X-Svc-Conformance-Cause, X-Svc-Conformance-Vendor-Text, X-Svc-Conformance-Callback';

/** The headers of every answer to a web page; none for anybody else. */
export function corsHeaders(wire: WireRequest): HeaderList {
  if (headerOf(wire, 'Origin') === undefined) return [];
  return [
    ['Access-Control-Allow-Origin', '*'],
    ['Access-Control-Expose-Headers', EXPOSED],
  ];
}
