/**
 * What an answer says of a signature, beside what the real service says.
 *
 * @module
 */
import type { HeaderList } from '../../signing/index.ts';
import type { Cause, Judgement } from '../judgement.ts';
import type { WrongJudgement } from './signature-error.ts';

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

/** One header for each explanation: those who see no body, as of a HEAD, see these. */
export function causeHeaders({ diagnosis, message }: WrongJudgement): HeaderList {
  const sentences = diagnosis?.causes.map((together) =>
    together.map(({ id, cause }) => (id === undefined ? cause : `${id}: ${cause}`)).join('; and '),
  );
  const told = sentences && sentences.length > 0 ? sentences : [message];
  return told
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
