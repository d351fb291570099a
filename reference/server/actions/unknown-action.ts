/**
 * Actions that are not served: documented ones, and unknown names.
 *
 * @module
 */
import { ACTION_ERRORS, serviceError } from '../errors.ts';
import type { ServiceError } from '../service-error.ts';

/** Of the object storage, as its API index and the generated clients name them. */
const NOT_SERVED: ReadonlySet<string> = new Set([
  'AddCORSRule',
  'AddUFileSSLCert',
  'BindBucketDomain',
  'BuyUFilePkg',
  'CreateUFileLifeCycle',
  'CreateUFileToken',
  'CreateUdsRule',
  'DeleteCORSRule',
  'DeleteUFileLifeCycle',
  'DeleteUFilePkg',
  'DeleteUFileSSLCert',
  'DeleteUFileToken',
  'DescribeCORSRule',
  'DescribeUFileLifeCycle',
  'DescribeUFileToken',
  'GetUFileDailyBill',
  'GetUFileDailyReport',
  'GetUFileQuota',
  'GetUFileQuotaInfo',
  'GetUFileQuotaPrice',
  'GetUFileReport',
  'SetUFileReferer',
  'UpdateCORSRule',
  'UpdateUFileLifeCycle',
  'UpdateUFileToken',
  'UpdateUdsRule',
]);

/** A name with more edits than this is not taken for a slip of the other. */
const MOST_EDITS = 2;

/** Why an action that is not served is refused. */
export function notServed(name: string, served: readonly string[]): ServiceError {
  if (NOT_SERVED.has(name)) return serviceError(ACTION_ERRORS.actionNotServed, name);
  const near = [...served, ...NOT_SERVED].find((one) => isNear(one, name));
  if (near === undefined) return serviceError(ACTION_ERRORS.actionUnknown, name);
  const { status, code, message } = ACTION_ERRORS.actionUnknown;
  const asked = { status, code, message: `${message}; did you mean ${near}?`, chosen: [] };
  return serviceError(asked, name);
}

function isNear(known: string, given: string): boolean {
  if (known.toLowerCase() === given.toLowerCase()) return true;
  return Math.abs(known.length - given.length) <= MOST_EDITS && edits(known, given) <= MOST_EDITS;
}

/** How many characters have to be inserted, removed or replaced. */
function edits(known: string, given: string): number {
  let before = Array.from({ length: given.length + 1 }, (_, at) => at);
  for (const [row, wanted] of [...known].entries()) {
    const now = [row + 1];
    for (let at = 1; at <= given.length; at++) {
      const replaced = (before[at - 1] ?? 0) + (wanted === given[at - 1] ? 0 : 1);
      now.push(Math.min(replaced, (before[at] ?? 0) + 1, (now[at - 1] ?? 0) + 1));
    }
    before = now;
  }
  return before.at(-1) ?? 0;
}
