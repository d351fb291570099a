/**
 * The other direction of §5.4: is this pre-signed URL right, and still valid?
 *
 * @module
 */
import { type FileStages, fileStages } from './file-signature.ts';
import { presignedUrl } from './presigned-url.ts';
import type { Context } from './steps.ts';
import type { HeaderList } from './types.ts';
import {
  type Accounts,
  judged,
  refusal,
  refusingBadInput,
  type Verification,
} from './verification.ts';
import type { DecodedQuery } from './verify-parameters.ts';

export interface PresignedUse {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderList;
  /** What follows the bucket and its dot in the host. */
  readonly fileHost: string;
  /** The server's clock in Unix seconds. */
  readonly now: number;
}

const URL_PARTS = /^(https?):\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const SECONDS = /^[0-9]{1,15}$/;

/** The moment that `Expires` names; `undefined` where it is no count of seconds. */
export function expirySeconds(expires: string): number | undefined {
  return SECONDS.test(expires) ? Number(expires) : undefined;
}

/** A server refuses once its clock is past the moment given; within that second the URL is still valid. */
export function isExpired(expires: number, now: number): boolean {
  return now > expires;
}

/** The bucket that a host names before the file host; `undefined` where it names none. */
export function bucketOfHost(host: string, fileHost: string): string | undefined {
  const suffix = `.${fileHost}`;
  if (!host.toLowerCase().endsWith(suffix.toLowerCase())) return undefined;
  const bucket = host.slice(0, -suffix.length);
  return bucket === '' || bucket.includes('.') ? undefined : bucket;
}

/** Verifies the use of a pre-signed URL; its expiry first, then its signature. */
export function verifyPresignedUrl(
  use: PresignedUse,
  accounts: Accounts,
  context: Context,
): Verification<FileStages> {
  return refusingBadInput(() => {
    const { steps, dialect } = context;
    const { method, headers, fileHost } = use;
    const [matched, scheme = '', host = '', path = '', query = ''] = URL_PARTS.exec(use.url) ?? [];
    const bucket = steps.bucketOfHost(host, fileHost);
    const key = steps.keyOfPath(path);
    if (matched === undefined || bucket === undefined || key === undefined) {
      return refusal(
        'url-malformed',
        `URL ${JSON.stringify(use.url)} is not "http(s)://<bucket>.${fileHost}/<key>?…" with a percent-encoded key (§4.3)`,
      );
    }
    const request = { method, bucket, key, headers, scheme, fileHost };
    steps.checkRequest(request, context);
    const parameters = steps.decodedQuery(query);
    if (!parameters) {
      return refusal(
        'query-malformed',
        `query ${JSON.stringify(query)} has an escape that is not UTF-8 (§5.3)`,
      );
    }
    const fault = parametersFault(parameters, dialect.publicKeyParameter);
    if (fault) return fault;
    const value = (name: string): string => parameters.find(([n]) => n === name)?.[1] ?? '';
    const expires = value('Expires');
    const moment = steps.expirySeconds(expires);
    if (moment === undefined) {
      return refusal(
        'expires-malformed',
        `Expires ${JSON.stringify(expires)} is not a count of Unix seconds (§5.4)`,
      );
    }
    if (steps.isExpired(moment, use.now)) {
      return refusal(
        'expired',
        `the URL was valid until ${expires} and it is ${use.now} (§5.4); sign a new one`,
      );
    }
    return judged(
      value(dialect.publicKeyParameter),
      value('Signature'),
      accounts,
      context,
      (keys) => fileStages(presignedUrl({ ...request, expires }, keys, context)),
    );
  });
}

/** §5.4 has three parameters, each once; others are not signed and not looked at. */
function parametersFault(parameters: DecodedQuery, publicKeyParameter: string) {
  const counts = [publicKeyParameter, 'Expires', 'Signature'].map(
    (name) => [name, parameters.filter(([n]) => n === name)] as const,
  );
  const repeated = counts.find(([, values]) => values.length > 1);
  if (repeated) {
    return refusal(
      'parameter-repeated',
      `parameter ${repeated[0]} appears ${repeated[1].length} times; §5.4 has it once`,
    );
  }
  if (!parameters.some(([name, value]) => name === 'Signature' && value !== '')) {
    return refusal(
      'signature-missing',
      'parameter Signature is missing or empty; §5.4 requires it; sign the URL',
    );
  }
  const missing = counts.find(([, values]) => values.length === 0);
  return (
    missing &&
    refusal(
      'parameter-missing',
      `parameter ${missing[0]} is missing; §5.4 requires it; sign the URL`,
    )
  );
}
