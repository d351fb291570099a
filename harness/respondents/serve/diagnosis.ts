/**
 * Explains wrong signatures for the server by known mistakes, within a budget that keeps the server fast for other clients.
 *
 * @module
 */
import type {
  Cause,
  Diagnose,
  Diagnosis,
  SuspectRequest,
} from '../../../reference/server/messages/judgement.ts';
import { type Dialect, inDialect, type KeyPair } from '../../../reference/signing/index.ts';
import { mapTexts } from '../../../reference/values.ts';
import { isMistake } from '../../engine/diagnosis/diagnose.ts';
import { findHeaderValue } from '../../engine/explain/captured-request.ts';
import {
  type RequestExplanation,
  type SearchResult,
  searchCauses,
} from '../../engine/explain/causes.ts';
import { recognizeRequest } from '../../engine/explain/recognition.ts';
import { createHider } from '../../engine/explain/secrecy.ts';
import {
  listSignedLines,
  redactedText,
  type SignedRequest,
  signRequest,
} from '../../engine/explain/signed-request.ts';
import { causePage } from '../../engine/report/cause-page.ts';
import type { Suite } from '../../engine/vector.ts';
import { siteAddress } from '../../suite/package-root.ts';

/** How many answers the search for the causes of one request may compute. */
const EVALUATIONS = 5000;

/** Longer requests are not diagnosed, because the search would take too much time and memory; in characters. */
const LONGEST_REQUEST = 16 * 1024;

/** The most explanations in one answer. */
const MOST_CAUSES = 8;

/**
 * Creates the diagnosis for one server.
 *
 * @param clock a monotonic clock in milliseconds
 */
export function createDiagnose(
  dialect: Dialect,
  clock: () => number = () => performance.now(),
): Diagnose {
  const budget = new TimeBudget(clock());
  const search: Search = (subject, keys, context) => {
    if (budget.available(clock()) <= 0) return undefined;
    const start = process.cpuUsage();
    const found = searchCauses(subject, keys, context, EVALUATIONS);
    const { user, system } = process.cpuUsage(start);
    budget.spend((user + system) / 1000);
    return found;
  };
  return (request, keys, isDevelopmentKey) => {
    const { target, headers, body } = request;
    const length = [target, body, ...headers.flat()].reduce((sum, text) => sum + text.length, 0);
    if (length > LONGEST_REQUEST) {
      const note = `the request has ${length} characters, and causes are searched for in up to ${LONGEST_REQUEST}; send a shorter one that is signed in the same way`;
      return { lines: [], stringToSign: '', received: '', causes: [], tried: 0, note };
    }
    try {
      return diagnose(toSignedRequest(request, dialect), keys, isDevelopmentKey, search);
    } catch {
      // The request has no signature, or §5 gives it no text: the refusal's own message is enough.
      return undefined;
    }
  };
}

/** Undefined if the budget is spent. */
type Search = (...wanted: Parameters<typeof searchCauses>) => SearchResult | undefined;

function diagnose(
  subject: SignedRequest,
  keys: KeyPair,
  isDevelopmentKey: boolean,
  search: Search,
): Diagnosis | undefined {
  const context = inDialect(subject.dialect);
  const correct = signRequest(subject, keys, context);
  // The signature is correct, and the refusal has another reason, such as two Authorization headers. Every mistake
  // without an effect on this request would seem to explain it.
  if (subject.sent.written === correct.written) return undefined;
  const found = search(subject, keys, context);
  const { text: hide } = createHider(keys.privateKey);
  const show = isDevelopmentKey ? (text: string): string => text : hide;
  return {
    lines: mapTexts(listSignedLines(subject, context), show),
    stringToSign: show(redactedText(subject, context)),
    ...(isDevelopmentKey && { expected: correct.signature }),
    received: show(subject.sent.signature),
    causes: (found?.explanations ?? []).slice(0, MOST_CAUSES).map((one) => toCauses(one, show)),
    tried: found?.tried ?? 0,
    ...searchNote(found),
  };
}

/** Reads a request as `explain` does; the server knows the bucket, even if the host does not name it. */
export function toSignedRequest(
  { bucket, ...request }: SuspectRequest,
  dialect: Dialect,
): SignedRequest {
  // §5.1 signs no header, so an Authorization header of an action is not its signature; HTTP clients may add one.
  const headers = request.headers.filter(
    ([name]) => bucket !== undefined || name.trim().toLowerCase() !== 'authorization',
  );
  const hints = { dialect, ...(bucket !== undefined && { bucket }) };
  const subject = recognizeRequest({ ...request, headers }, hints);
  const host = findHeaderValue(request.headers, 'Host') ?? '';
  const isInHost = bucket !== undefined && host.startsWith(`${bucket}.`);
  const origin = isInHost ? `host ${host}` : "the server's bucket for this address";
  return { ...subject, origin: { ...subject.origin, bucket: origin } };
}

function toCauses(
  { causes }: RequestExplanation,
  show: (text: string) => string,
): readonly Cause[] {
  return causes.map((one) => ({
    ...(isMistake(one) ? { id: one.id } : { name: one.id }),
    page: causePage(one.id, readSite()),
    rule: one.rule,
    cause: show(one.wrong),
    fix: show(one.fix),
  }));
}

let site: Pick<Suite, 'site'> | undefined;

/** The site that the package names, read once. */
function readSite(): Pick<Suite, 'site'> {
  const address = site === undefined ? siteAddress() : undefined;
  site ??= address === undefined ? {} : { site: address };
  return site;
}

function searchNote(found: SearchResult | undefined): { readonly note?: string } {
  if (found && !found.isCut) return {};
  const note = found
    ? `the search stopped after ${EVALUATIONS} tries, before it had tried all pairs of mistakes`
    : 'the cause was not searched for, because too many wrong signatures arrived at once; send this request again by itself';
  return { note };
}

/** The most time that can be saved up; in milliseconds. */
const MOST_SAVED = 2000;

/** The share of the passing time that may be spent. */
const SHARE = 0.25;

/** Processor time for the search. The budget is full at first and refills as time passes; all times are in milliseconds. */
export class TimeBudget {
  #saved = MOST_SAVED;
  #updated: number;

  constructor(now: number) {
    this.#updated = now;
  }

  available(now: number): number {
    this.#saved = Math.min(MOST_SAVED, this.#saved + (now - this.#updated) * SHARE);
    this.#updated = now;
    return this.#saved;
  }

  spend(time: number): void {
    this.#saved -= time;
  }
}
