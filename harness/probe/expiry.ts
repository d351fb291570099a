/**
 * Moments of expiry, moved from the clock of a vector to the clock of a server.
 *
 * @module
 */
import { urlDecode } from '../../reference/signing/index.ts';

/** A clock that shows seconds may be one behind, and the next second comes while a request is on its way. */
const PAST_MARGIN = 2;

/** So long a request is still valid when it is asked; in seconds, as everything here. */
const FUTURE_MARGIN = 3600;

/** What has expired longer ago has its place for itself, such as a moment in another century. */
const LONG_AGO = 86_400;

export interface Clocks {
  /** Of the vector. */
  readonly before: number;
  /** Of the server. */
  readonly now: number;
  /** What a validity is prolonged by, so that another text is signed. */
  readonly later: number;
}

/** Every `Expires` of a query, as long before or after the server's clock as it was before or after the vector's. */
export function withExpiry(url: string, clocks: Clocks): string {
  return url.replace(/(^[^?]*\?|&)([^=&#]*)=([^&#]*)/g, (pair, before, name, value) =>
    urlDecode(name) === 'Expires' ? `${before}${name}=${movedValue(value, clocks)}` : pair,
  );
}

/** Leading zeros, escapes of digits and whatever follows the digits stay. */
function movedValue(value: string, clocks: Clocks): string {
  const [all = '', zeros = '', digits = ''] =
    /^((?:0|%30)*)((?:[0-9]|%3[0-9]){1,45})(?![0-9%])/.exec(value) ?? [];
  const plain = urlDecode(digits) ?? '';
  if (!/^[0-9]{1,15}$/.test(plain)) return value;
  const moved = movedMoment(Number(plain), clocks);
  const written = `${moved}`.length === plain.length ? likeDigits(digits, `${moved}`) : `${moved}`;
  return zeros + written + value.slice(all.length);
}

/** The moment that is as far from the server's clock; one that is well on the same side of both stays. */
export function movedMoment(moment: number, { before, now, later }: Clocks): number {
  const left = moment - before;
  const isStillValid = moment - now > FUTURE_MARGIN;
  if (left >= 0) return isStillValid ? moment : now + Math.max(left, FUTURE_MARGIN) + later;
  return left < -LONG_AGO ? moment : now + Math.min(left, -PAST_MARGIN);
}

function likeDigits(written: string, digits: string): string {
  const tokens = written.match(/%3[0-9]|[0-9]/g) ?? [];
  return tokens
    .map((token, at) => (token.length > 1 ? `%3${digits.charAt(at)}` : digits.charAt(at)))
    .join('');
}
