/**
 * Converts the questions of the verify operations to HTTP requests.
 *
 * @module
 */

import type { Input } from '../../harness/engine/vector.ts';
import { hasPolicy } from '../../harness/respondents/server/wire-request.ts';
import { urlEncode } from '../../reference/signing/index.ts';
import type { RawRequest } from './judging-service.ts';

export interface WireQuestion extends RawRequest {
  /** Must exist, because the service judges no request for a missing bucket. */
  readonly bucket?: string;
  readonly now?: number;
}

/** Host labels that the service accepts as buckets. */
const BUCKET = /^[a-z0-9][a-z0-9-]*$/;

/** The methods of requests that can be sent. */
const METHOD = /^(?:GET|HEAD|PUT|POST|DELETE)$/;

/** A header that the service reads as it is sent: one line that does not affect the transport. */
const isPlain = ([name, value]: readonly [string, string]): boolean =>
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) &&
  /^[\t\x20-\x7e\x80-\u{10ffff}]*$/u.test(value) &&
  !/^(?:host|connection|content-length|transfer-encoding|expect|upgrade)$/i.test(name);

type Headers = readonly (readonly [string, string])[];

/** The request; undefined if it cannot be sent to this service over HTTP. */
export function wireQuestion(operation: string, input: Input): WireQuestion | undefined {
  const question = QUESTIONS[operation]?.(input);
  return question && METHOD.test(question.method) && question.headers.every(isSendable)
    ? question
    : undefined;
}

const isSendable = (header: readonly [string, string]): boolean =>
  header[0] === 'Host' || isPlain(header);

const QUESTIONS: Readonly<Record<string, (input: Input) => WireQuestion | undefined>> = {
  'verify-authorization': ({ method, bucket, key, headers }) => {
    const own = headers as Headers;
    if (!BUCKET.test(String(bucket)) || !own.every(isPlain)) return undefined;
    const path = String(key).split('/').map(urlEncode).join('/');
    // Of the POST requests with a header Authorization, only the one that finishes an upload
    // accepts a callback policy.
    const query = method === 'POST' && hasPolicy(own) ? '?uploadId=u' : '';
    return {
      method: String(method),
      target: `/${path}${query}`,
      headers: [['Host', `${bucket}.files.example`], ...own],
      bucket: String(bucket),
    };
  },
  'verify-presigned-url': ({ method, url, headers, fileHost, now }) => {
    const own = headers as Headers;
    const [, host = '', target = ''] = /^https?:\/\/([^/?#]*)(\/[^#]*)$/.exec(String(url)) ?? [];
    const bucket = host.endsWith(`.${fileHost}`) ? host.slice(0, -String(fileHost).length - 1) : '';
    const isSaid = BUCKET.test(bucket) && /^[!-~]+$/.test(target) && own.every(isPlain);
    if (!isSaid) return undefined;
    const Host = ['Host', `${bucket}.files.example`] as const;
    return { method: String(method), target, headers: [Host, ...own], bucket, now: Number(now) };
  },
  'verify-query': ({ query }) => {
    if (!/^[!-~]*$/.test(String(query))) return undefined;
    return { method: 'GET', target: `/?${query}`, headers: [['Host', 'api.example']] };
  },
  // A service that accepts both forms and JSON does not refuse a form instead of JSON.
  'verify-json': ({ body }) =>
    /^Action=/.test(String(body))
      ? undefined
      : { method: 'POST', target: '/', headers: [['Host', 'api.example']], body: String(body) },
};
