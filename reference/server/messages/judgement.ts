/**
 * What is found about the signature of a request (§5, E1).
 *
 * @module
 */
import type { HeaderList, KeyPair, RefusalReason, SignedIn } from '../../signing/index.ts';
import type { VendorText } from '../../vendor-texts.ts';

export type Judgement =
  | { readonly kind: 'unsigned' }
  | {
      readonly kind: 'right';
      readonly signedIn: SignedIn;
      readonly publicKey: string;
      /** The text of a published SDK, if the specification's does not fit. */
      readonly vendorText?: VendorText;
      /** What was judged. */
      readonly request?: SuspectRequest;
    }
  | {
      readonly kind: 'wrong';
      readonly signedIn: SignedIn;
      readonly publicKey: string | undefined;
      readonly reason: RefusalReason | 'signed-twice' | 'vendor-text';
      /** One sentence: what, observed, rule. */
      readonly message: string;
      readonly diagnosis?: Diagnosis;
      /** What was judged; undefined if the signature was not verified. */
      readonly request?: SuspectRequest;
    };

export type WrongJudgement = Extract<Judgement, { readonly kind: 'wrong' }>;

/** Which mistake a wrong signature shows. */
export interface Diagnosis {
  /** The string to sign in its parts, each with its origin; without the private key. */
  readonly lines: readonly SignedLine[];
  /** The whole of it. */
  readonly stringToSign: string;
  /** The right signature; only of a development key, which is no secret. */
  readonly expected?: string;
  readonly received: string;
  /** Each entry explains the signature to the last character; several causes in an entry do so together. */
  readonly causes: readonly (readonly Cause[])[];
  /** How many known mistakes were tried. */
  readonly tried: number;
  /** Why the search for causes found fewer than it may: there was no time, or it was not made. */
  readonly note?: string;
}

export interface SignedLine {
  readonly name: string;
  readonly text: string;
  readonly origin: string;
}

export interface Cause {
  /** In the register of mistakes; undefined if another request was signed. */
  readonly id?: string;
  readonly rule: string;
  readonly cause: string;
  readonly fix: string;
}

/** A request, in the form for a diagnosis. */
export interface SuspectRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderList;
  /** Of a form without its file. */
  readonly body: string;
  readonly bucket: string | undefined;
}

/** Diagnoses a wrong signature. The server does not know the register of mistakes, so it gets this function. */
export type Diagnose = (
  request: SuspectRequest,
  keys: KeyPair,
  isDevelopmentKey: boolean,
) => Diagnosis | undefined;

/** More explanations than this are left to the JSON. */
const MOST_HEADERS = 4;

const LONGEST_HEADER = 500;

/** The member `Signature` of an answer to a wrong one. */
export function signatureMember({ reason, message, signedIn, diagnosis }: WrongJudgement): object {
  if (!diagnosis) return { reason, message, signedIn };
  const { stringToSign, lines, expected, received, causes, tried, note } = diagnosis;
  return {
    reason,
    message,
    signedIn,
    stringToSign,
    lines: lines.map(({ name, text, origin }, i) => ({
      number: i + 1,
      name,
      text,
      source: origin,
    })),
    ...(expected !== undefined && { expected }),
    received,
    causes: causes.map((together) => together.map(causeMember)),
    tried,
    ...(note !== undefined && { note }),
  };
}

function causeMember({ id, ...rest }: Cause): object {
  return { ...(id !== undefined && { mistake: id }), ...rest };
}

/** A header for each explanation: the answer to a HEAD has no body. */
export function causeHeaders({ diagnosis, message }: WrongJudgement): HeaderList {
  const sentences = diagnosis?.causes.map((together) =>
    together.map(({ id, cause }) => (id === undefined ? cause : `${id}: ${cause}`)).join('; and '),
  );
  const shown = sentences && sentences.length > 0 ? sentences : [message];
  return shown
    .slice(0, MOST_HEADERS)
    .map((sentence) => ['X-Svc-Conformance-Cause', headerText(sentence)]);
}

/** The header of an answer to a signature that only fits the text of an SDK. */
export function vendorHeaders(judgement: Judgement | undefined): HeaderList {
  return judgement?.kind === 'right' && judgement.vendorText !== undefined
    ? [['X-Svc-Conformance-Vendor-Text', judgement.vendorText]]
    : [];
}

/** In printable ASCII, as a header holds it. */
function headerText(text: string): string {
  const escaped = text.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return escaped.length > LONGEST_HEADER ? `${escaped.slice(0, LONGEST_HEADER)}...` : escaped;
}
