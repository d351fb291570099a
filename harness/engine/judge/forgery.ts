/**
 * Requests signed with a known mistake, as questions to verifiers: each must be refused.
 *
 * @module
 */
import type { Question, Reply } from '../protocol.ts';
import { askTimed, type Respondent } from '../respondent.ts';
import type { BareVector } from '../vector.ts';
import { judgeSafely, type Verdict } from './judge.ts';

/** A forged request, and the same request correctly signed. */
export interface Forgery extends Pick<Question, 'operation' | 'keys' | 'input'> {
  /** The id of the signing vector that contains the request. */
  readonly vector: string;
  /** Why a verifier must refuse it: its signature or its form. */
  readonly reason: string;
  /** All known mistakes with which a signer sends exactly this request. */
  readonly mistakes: readonly string[];
  /** Further mistakes that make a verifier accept it. */
  readonly acceptedWith?: readonly string[];
  /** The correctly signed request, which a verifier must accept. Forgeries of one request share it. */
  readonly control: Question;
  /** Not sent if the adapter also offers this operation, because its forgeries show the same mistakes. */
  readonly unlessOffered?: string;
}

/** Selects the forgeries for an adapter that offers these operations. */
export function selectForgeries(
  forgeries: readonly Forgery[],
  operations: readonly string[],
): readonly Forgery[] {
  return forgeries.filter(
    ({ operation, unlessOffered }) =>
      operations.includes(operation) &&
      (unlessOffered === undefined || !operations.includes(unlessOffered)),
  );
}

/** pass: the verifier refused the forged request and accepted the control. fail: it accepted the forged request. */
export interface ForgedOutcome {
  readonly forgery: Forgery;
  readonly verdict: Verdict;
  readonly reply: Reply;
  readonly controlReply: Reply | undefined;
  /** The time that the verifier took to answer; absent if it was not measured. */
  readonly milliseconds?: number | undefined;
  /** Set if the adapter's expectations name the failure. */
  readonly known?: true;
  /** The ids of the causes that explain the failure; absent if none does. */
  readonly causes?: readonly string[];
}

/** The name of a forged request in expectations: `verify-query/action-key-first`. */
export function formatForgedName(operation: string, mistake: string): string {
  return `${operation}/${mistake}`;
}

/** All names of a forged request: one for each mistake with which a verifier accepts it. */
export function listForgedNames(forgery: Forgery): readonly string[] {
  const { operation, mistakes, acceptedWith = [] } = forgery;
  return [...mistakes, ...acceptedWith].map((mistake) => formatForgedName(operation, mistake));
}

export function toBareVector({
  operation,
  keys,
  input,
  vector: id,
  reason,
  control,
}: Forgery): BareVector {
  const expect = { publicKey: control.keys.publicKey };
  return {
    id,
    operation,
    keys,
    input,
    refuse: { reason },
    control: { input: control.input, keys: control.keys, expect },
  };
}

/** Asks about the forgeries and judges the replies: any reason for the refusal passes. Each control is asked once. */
export async function askForgeries(
  respondent: Pick<Respondent, 'ask'>,
  forgeries: readonly Forgery[],
): Promise<readonly ForgedOutcome[]> {
  const controls = [...new Set(forgeries.map(({ control }) => control))];
  const forged = forgeries.map(({ operation, keys, input }) => ({ operation, keys, input }));
  const [controlReplies, replies] = await Promise.all([
    respondent.ask(controls),
    askTimed(respondent, forged),
  ]);
  const replyTo = new Map(controls.map((control, i) => [control, controlReplies[i]]));
  return replies.flatMap(({ reply, milliseconds }, i) => {
    const forgery = forgeries[i];
    if (!forgery) return [];
    const controlReply = replyTo.get(forgery.control);
    const verdict = judgeSafely(toBareVector(forgery), reply, controlReply);
    return [{ forgery, verdict, reply, controlReply, milliseconds }];
  });
}

export function isAccepted({ verdict }: ForgedOutcome): boolean {
  return verdict.status === 'fail';
}
