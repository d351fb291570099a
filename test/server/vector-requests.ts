/**
 * What the verify operations are asked, as requests on the wire.
 *
 * @module
 */

import type { Input } from '../../harness/engine/vector.ts';
import { hasPolicy } from '../../harness/respondents/server/wire-request.ts';
import { urlEncode } from '../../reference/signing/index.ts';
import type { RawRequest } from './judging-service.ts';

export interface WireQuestion extends RawRequest {
  /** Must be there, for the request to be judged at all. */
  readonly bucket?: string;
  readonly now?: number;
}

/** Host labels, as far as the service takes them for buckets. */
const BUCKET = /^[a-z0-9][a-z0-9-]*$/;

/** Node reads these and no others. */
const METHOD = /^(?:GET|HEAD|PUT|POST|DELETE)$/;

/** A header that a server reads as it is sent: one line, of which nothing else on the wire depends. */
const isPlain = ([name, value]: readonly [string, string]): boolean =>
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) &&
  /^[\t\x20-\x7e\x80-\u{10ffff}]*$/u.test(value) &&
  !/^(?:host|connection|content-length|transfer-encoding|expect|upgrade)$/i.test(name);

type Headers = readonly (readonly [string, string])[];

/** The request; nothing where HTTP cannot say it, or not to this server. */
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
    // Of the requests with POST, the one that finishes an upload takes a callback policy.
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
  // A form in the place of JSON is no fault to a server that takes both.
  'verify-json': ({ body }) =>
    /^Action=/.test(String(body))
      ? undefined
      : { method: 'POST', target: '/', headers: [['Host', 'api.example']], body: String(body) },
};
