/**
 * Which mistake a request to the server shows, within a time that leaves the server to those who sign rightly.
 *
 * @module
 */
import type {
  Cause,
  Diagnose,
  Diagnosis,
  SuspectRequest,
} from '../../reference/server/judgement.ts';
import { type Dialect, inDialect, type KeyPair } from '../../reference/signing/index.ts';
import { causes, type Explanation } from '../explain/cause.ts';
import { recognized } from '../explain/recognized.ts';
import { hiding } from '../explain/secrecy.ts';
import { shownText, signedLines } from '../explain/signed-lines.ts';
import { type Subject, signed } from '../explain/subject.ts';
import { headerValue } from '../explain/target.ts';
import { type TimeBudget, timeBudget } from './time-budget.ts';

/** Answers that the search for the causes of one request may compute. */
const EVALUATIONS = 5000;

/** A longer request is not taken apart, for it would take the time and the memory of many; in characters. */
const LONGEST = 16 * 1024;

/** Answers hold no more explanations than this. */
const MOST_CAUSES = 8;

/**
 * What knows the register of mistakes, for one server.
 *
 * @param clock milliseconds from any moment on
 */
export function diagnosing(dialect: Dialect, clock: () => number = now): Diagnose {
  const budget = timeBudget(clock());
  return (request, keys, isDevelopmentKey) => {
    try {
      if (lengthOf(request) > LONGEST) return tooLong(request);
      const mayLook = budget.left(clock()) > 0;
      return diagnosisOf(request, { dialect, keys, isDevelopmentKey, budget, mayLook });
    } catch {
      // Where the request shows no signature, or §5 gives it no text, the refusal says all there is.
      return undefined;
    }
  };
}

const now = (): number => performance.now();

interface Circumstances {
  readonly dialect: Dialect;
  readonly keys: KeyPair;
  readonly isDevelopmentKey: boolean;
  readonly budget: TimeBudget;
  /** Whether there is time to look for causes. */
  readonly mayLook: boolean;
}

function diagnosisOf(request: SuspectRequest, circumstances: Circumstances): Diagnosis | undefined {
  const { dialect, keys, isDevelopmentKey, budget, mayLook } = circumstances;
  const context = inDialect(dialect);
  const subject = subjectOf(request, dialect);
  const right = signed(subject, keys, context);
  // Signed rightly and refused all the same, such as an Authorization that is sent twice: every mistake without effect would explain it.
  if (subject.sent.written === right.written) return undefined;
  const start = process.cpuUsage();
  const search = mayLook ? causes(subject, keys, context, EVALUATIONS) : undefined;
  const { user, system } = process.cpuUsage(start);
  budget.spend((user + system) / 1000);
  const { text: hidden } = hiding(keys.privateKey);
  const shown = isDevelopmentKey ? (text: string): string => text : hidden;
  const found = search?.explanations ?? [];
  return {
    lines: signedLines(subject, context).map(({ name, text, origin }) => ({
      name: shown(name),
      text: shown(text),
      origin: shown(origin),
    })),
    stringToSign: shown(shownText(subject, context)),
    ...(isDevelopmentKey && { expected: right.signature }),
    received: shown(subject.sent.signature),
    causes: found.slice(0, MOST_CAUSES).map((one) => causesOf(one, shown)),
    tried: search?.tried ?? 0,
    ...noteOf(search),
  };
}

function lengthOf({ target, headers, body }: SuspectRequest): number {
  const inHeaders = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return target.length + inHeaders + body.length;
}

function tooLong(request: SuspectRequest): Diagnosis {
  const note = `the request has ${lengthOf(request)} characters, and the cause is looked for in up to ${LONGEST}; send a shorter one that is signed in the same way`;
  return { lines: [], stringToSign: '', received: '', causes: [], tried: 0, note };
}

/** As `explain` reads it; the server knows the bucket, whatever the host is. */
export function subjectOf({ bucket, ...request }: SuspectRequest, dialect: Dialect): Subject {
  // §5.1 signs no header: what an HTTP client adds beside an action is not its signature.
  const headers = request.headers.filter(
    ([name]) => bucket !== undefined || name.trim().toLowerCase() !== 'authorization',
  );
  const hints = { dialect, ...(bucket !== undefined && { bucket }) };
  const subject = recognized({ ...request, headers }, hints);
  const host = headerValue(request.headers, 'Host') ?? '';
  const isNamed = bucket !== undefined && host.startsWith(`${bucket}.`);
  const where = isNamed ? `host ${host}` : 'what the server takes the address for';
  return { ...subject, origin: { ...subject.origin, bucket: where } };
}

function causesOf({ faults }: Explanation, shown: (text: string) => string): readonly Cause[] {
  return faults.map((fault) => ({ ...fault, cause: shown(fault.cause), fix: shown(fault.fix) }));
}

function noteOf(search: { readonly isCut: boolean } | undefined): { readonly note?: string } {
  if (!search) {
    return {
      note: 'the cause was not looked for, as too many wrong signatures came at once; send this request again alone',
    };
  }
  return search.isCut
    ? {
        note: `the search ended after ${EVALUATIONS} tries, before all pairs of mistakes were tried`,
      }
    : {};
}
