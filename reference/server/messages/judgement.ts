/**
 * The judgement of the signature of a request (§5, E1).
 *
 * @module
 */
import { escapeUnit } from '../../escapes.ts';
import type { HeaderList, KeyPair, RefusalReason, SignedIn } from '../../signing/index.ts';
import type { VendorText } from '../../vendor-texts.ts';

export type Judgement =
  | { readonly kind: 'unsigned' }
  | {
      readonly kind: 'right';
      readonly signedIn: SignedIn;
      readonly publicKey: string;
      /** The SDK text that fits, if the text of the specification does not. */
      readonly vendorText?: VendorText;
      /** The judged request. */
      readonly request?: SuspectRequest;
    }
  | {
      readonly kind: 'wrong';
      readonly signedIn: SignedIn;
      readonly publicKey: string | undefined;
      readonly reason: RefusalReason | 'signed-twice' | 'vendor-text';
      /** One sentence: the fault, the observed value, the rule. */
      readonly message: string;
      readonly diagnosis?: Diagnosis;
      /** The judged request; undefined if the signature was not verified. */
      readonly request?: SuspectRequest;
    };

export type WrongJudgement = Extract<Judgement, { readonly kind: 'wrong' }>;

/** The diagnosis of a wrong signature. */
export interface Diagnosis {
  /** The parts of the string to sign, each with its origin; without the private key. */
  readonly lines: readonly SignedLine[];
  /** The whole string to sign. */
  readonly stringToSign: string;
  /** The correct signature; only for the development key, which is not secret. */
  readonly expected?: string;
  readonly received: string;
  /** The explanations. Each reproduces the signature exactly; several causes in one entry do so together. */
  readonly causes: readonly (readonly Cause[])[];
  /** The number of known mistakes that were tried. */
  readonly tried: number;
  /** Why the search for causes is incomplete or was skipped. */
  readonly note?: string;
}

export interface SignedLine {
  readonly name: string;
  readonly text: string;
  readonly origin: string;
}

export interface Cause {
  /** The id of the mistake; undefined if another request was signed. */
  readonly id?: string;
  readonly rule: string;
  readonly cause: string;
  readonly fix: string;
  /** Where the page of the mistake is: an address, or the command that opens it. */
  readonly page?: string;
}

/** A request in the form that the diagnosis takes. */
export interface SuspectRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderList;
  /** The body of a form without its file. */
  readonly body: string;
  readonly bucket: string | undefined;
}

/** Diagnoses a wrong signature. Callers pass this function, because the server does not import the mistakes. */
export type Diagnose = (
  request: SuspectRequest,
  keys: KeyPair,
  isDevelopmentKey: boolean,
) => Diagnosis | undefined;

/** The most explanations in headers; the JSON has all. */
const MOST_HEADERS = 4;

const LONGEST_HEADER = 500;

/** The member `Signature` of the answer to a wrong signature. */
export function signatureMember({ reason, message, signedIn, diagnosis }: WrongJudgement): object {
  if (!diagnosis) return { reason, message, signedIn };
  const { lines, causes, ...rest } = diagnosis;
  return {
    reason,
    message,
    signedIn,
    stringToSign: rest.stringToSign,
    lines: lines.map(({ name, text, origin }, i) => ({
      number: i + 1,
      name,
      text,
      source: origin,
    })),
    expected: rest.expected,
    received: rest.received,
    causes: causes.map((together) =>
      together.map(({ id, ...cause }) => ({ mistake: id, ...cause })),
    ),
    tried: rest.tried,
    note: rest.note,
  };
}

/** A header for each explanation, because the answer to a HEAD has no body. */
export function causeHeaders({ diagnosis, message }: WrongJudgement): HeaderList {
  const sentences = diagnosis?.causes.map((together) =>
    together.map(({ id, cause }) => (id === undefined ? cause : `${id}: ${cause}`)).join('; and '),
  );
  const shown = sentences && sentences.length > 0 ? sentences : [message];
  return shown
    .slice(0, MOST_HEADERS)
    .map((sentence) => ['X-Svc-Conformance-Cause', headerText(sentence)]);
}

/** The header of the answer to a signature that fits only the text of an SDK. */
export function vendorHeaders(judgement: Judgement | undefined): HeaderList {
  return judgement?.kind === 'right' && judgement.vendorText !== undefined
    ? [['X-Svc-Conformance-Vendor-Text', judgement.vendorText]]
    : [];
}

/** A text in printable ASCII, for a header. */
function headerText(text: string): string {
  const escaped = text.replace(/[^\x20-\x7e]/g, escapeUnit);
  return escaped.length > LONGEST_HEADER ? `${escaped.slice(0, LONGEST_HEADER)}...` : escaped;
}
