/**
 * Requests for verifiers: right ones made by the reference, and the same with one thing changed.
 *
 * @module
 */
import type { ActionParameters, Steps } from '../../reference/signing/index.ts';
import type { Dialect } from '../adapter/messages.ts';
import { type Asked, answerTo, isRefused } from '../rederive/answer.ts';
import type { Control, Forged, Input, KeyPair, Stages } from '../suite/vector.ts';
import { CARRIERS, type Carrier, type Form } from './carriers.ts';
import { wrong } from './changes.ts';
import type { Change, Draft } from './draft.ts';
import { type Malformation, malformation } from './malformed.ts';
import { unsignable } from './unsignable.ts';

export interface VerifyQuestion {
  readonly asked: Asked;
  /** Where the request is wrong: the same made right, and how the wrong signature came about. */
  readonly control?: Omit<Control, 'expect'>;
  readonly forged?: Forged;
}

/** How long after its expiry a URL is used: at the ends of what may be tolerated. */
const SECONDS_LATE = [1, 60, 61, 301, 601, 901, 3601, 86_401, 1_000_000_000];

/** A draft on its way to a question. */
interface Making {
  readonly draft: Draft;
  readonly carrier: Carrier;
  readonly form: Form;
  /** What its signer says. */
  readonly stages: Stages;
  /** The right input. */
  readonly right: Input;
  readonly signedBy: (input: Input, keys?: KeyPair, swap?: Partial<Steps>) => Stages | undefined;
}

/** The question that a draft of a verify operation comes to; nothing where its change changes nothing. */
export function verifyQuestion(draft: Draft, dialect: Dialect): VerifyQuestion | undefined {
  const { operation, keys, request, change, writing = 0 } = draft;
  const carrier = CARRIERS[operation];
  if (!carrier) return undefined;
  const malformed = change && malformation(operation, change.kind);
  const form: Form = { publicKey: keys.publicKey, dialect, writing: malformed ? 0 : writing };
  const signedBy: Making['signedBy'] = (input, by = keys, swap = {}) => {
    const answer = answerTo({ operation: carrier.signing, input, keys: by }, dialect, swap);
    return isRefused(answer) ? undefined : answer;
  };
  const stages = signedBy(request);
  if (!stages) return undefined;
  const right = carrier.input(request, stages, String(stages['signature']), form);
  if (!change) return { asked: { operation, keys, input: right } };
  const making: Making = { draft, carrier, form, stages, right, signedBy };
  if (malformed) return malformedQuestion(making, change, malformed);
  if (change.kind === 'expired') {
    const late = SECONDS_LATE[change.at % SECONDS_LATE.length] ?? 1;
    const now = `${Number(request['expires']) + late}`;
    return refusedQuestion(making, { ...right, now });
  }
  return unsignedQuestion(making, change) ?? changedQuestion(making, change);
}

function refusedQuestion(
  { draft: { operation, keys }, right }: Making,
  input: Input,
  forged?: Forged,
): VerifyQuestion {
  return {
    asked: { operation, keys, input },
    control: { input: changedMembers(right, input) },
    ...(forged && { forged }),
  };
}

/** A request that was signed rightly, and sent in no form of its kind. */
function malformedQuestion(
  making: Making,
  { at }: Change,
  malformed: Malformation,
): VerifyQuestion | undefined {
  const { draft, carrier, form, signedBy } = making;
  const { keys, request } = draft;
  const signed = malformed.signed?.(request, at) ?? request;
  const stages = signedBy(signed);
  if (!stages) return undefined;
  const signature = String(stages['signature']);
  const before = carrier.input(signed, stages, signature, form);
  const signatureOf = (parameters: ActionParameters): string => {
    const asked = { operation: 'action-signature', keys, input: { parameters } };
    const answer = answerTo(asked, form.dialect);
    return isRefused(answer) ? signature : String(answer['signature']);
  };
  const { publicKey, dialect } = form;
  const known = { request: signed, publicKey, signature, dialect, at, signatureOf };
  const input = malformed.sent(before, known);
  if (!input) return undefined;
  const unfilled = carrier.input(signed, stages, '{signature}', form);
  const forged = { input: changedMembers(unfilled, making.right) };
  return refusedQuestion(making, input, signed === request ? undefined : forged);
}

/** A request that no signer may sign, and one did. */
function unsignedQuestion(making: Making, change: Change): VerifyQuestion | undefined {
  const { draft, carrier, form, signedBy } = making;
  const signed = unsignable(draft.request, change, form.dialect.headerPrefix);
  const stages = signed && signedBy(signed, draft.keys, { checkRequest: () => {} });
  return (
    stages &&
    refusedQuestion(making, carrier.input(signed, stages, String(stages['signature']), form))
  );
}

/** A request whose signature is that of another one, or no signature at all. */
function changedQuestion(making: Making, change: Change): VerifyQuestion | undefined {
  const { draft, carrier, form, stages, right, signedBy } = making;
  const { operation, keys, request } = draft;
  const made = wrong(request, keys, change);
  const other = made && signedBy(made.signed, made.keys);
  if (!made || !other) return undefined;
  const signature = made.rewritten(String(other['signature']));
  if (signature === stages['signature'] && made.account === keys) return undefined;
  const input = carrier.input(request, stages, signature, form);
  const members = changedMembers(right, input);
  const before = carrier.input(made.signed, other, '{signature}', form);
  const others = changedMembers(carrier.input(made.signed, other, signature, form), input);
  const signed = Object.fromEntries(Object.keys(others).map((name) => [name, before[name]]));
  return {
    asked: { operation, keys: made.account, input },
    control: { input: members, ...(made.account !== keys && { keys }) },
    ...(made.signed !== request && { forged: { input: signed } }),
    ...(made.keys !== keys && { forged: { keys: made.keys } }),
  };
}

/** The members of one input that the other has otherwise. */
export function changedMembers(of: Input, other: Input): Input {
  return Object.fromEntries(
    Object.entries(of).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(other[name]),
    ),
  );
}
