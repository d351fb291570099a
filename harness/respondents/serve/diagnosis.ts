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
import { isMistake } from '../../engine/diagnosis/diagnose.ts';
import { findHeaderValue } from '../../engine/explain/captured-request.ts';
import { type RequestExplanation, searchCauses } from '../../engine/explain/causes.ts';
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
  return (request, keys, isDevelopmentKey) => {
    try {
      if (requestLength(request) > LONGEST_REQUEST) return refuseLong(request);
      const maySearch = budget.available(clock()) > 0;
      return diagnose(request, { dialect, keys, isDevelopmentKey, budget, maySearch });
    } catch {
      // The request has no signature, or §5 gives it no text: the refusal's own message is enough.
      return undefined;
    }
  };
}

interface Circumstances {
  readonly dialect: Dialect;
  readonly keys: KeyPair;
  readonly isDevelopmentKey: boolean;
  readonly budget: TimeBudget;
  readonly maySearch: boolean;
}

function diagnose(request: SuspectRequest, circumstances: Circumstances): Diagnosis | undefined {
  const { dialect, keys, isDevelopmentKey, budget, maySearch } = circumstances;
  const context = inDialect(dialect);
  const subject = toSignedRequest(request, dialect);
  const correct = signRequest(subject, keys, context);
  // The signature is correct, and the refusal has another reason, such as two Authorization headers. Every mistake
  // without an effect on this request would seem to explain it.
  if (subject.sent.written === correct.written) return undefined;
  const start = process.cpuUsage();
  const search = maySearch ? searchCauses(subject, keys, context, EVALUATIONS) : undefined;
  const { user, system } = process.cpuUsage(start);
  budget.spend((user + system) / 1000);
  const { text: hide } = createHider(keys.privateKey);
  const show = isDevelopmentKey ? (text: string): string => text : hide;
  const explanations = search?.explanations ?? [];
  return {
    lines: listSignedLines(subject, context).map(({ name, text, origin }) => ({
      name: show(name),
      text: show(text),
      origin: show(origin),
    })),
    stringToSign: show(redactedText(subject, context)),
    ...(isDevelopmentKey && { expected: correct.signature }),
    received: show(subject.sent.signature),
    causes: explanations.slice(0, MOST_CAUSES).map((one) => toCauses(one, show)),
    tried: search?.tried ?? 0,
    ...searchNote(search),
  };
}

function requestLength({ target, headers, body }: SuspectRequest): number {
  const inHeaders = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return target.length + inHeaders + body.length;
}

function refuseLong(request: SuspectRequest): Diagnosis {
  const note = `the request has ${requestLength(request)} characters, and causes are searched for in up to ${LONGEST_REQUEST}; send a shorter one that is signed in the same way`;
  return { lines: [], stringToSign: '', received: '', causes: [], tried: 0, note };
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

function searchNote(search: { readonly isCut: boolean } | undefined): { readonly note?: string } {
  if (!search) {
    return {
      note: 'the cause was not searched for, because too many wrong signatures arrived at once; send this request again by itself',
    };
  }
  return search.isCut
    ? {
        note: `the search stopped after ${EVALUATIONS} tries, before it had tried all pairs of mistakes`,
      }
    : {};
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

  /** How much may be spent now. */
  available(now: number): number {
    this.#saved = Math.min(MOST_SAVED, this.#saved + (now - this.#updated) * SHARE);
    this.#updated = now;
    return this.#saved;
  }

  spend(time: number): void {
    this.#saved -= time;
  }
}
