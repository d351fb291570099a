/**
 * What a verifier said of forged requests.
 *
 * @module
 */
import type { Question, Reply } from '../adapter/messages.ts';
import { type Verdict, verdictOn } from '../judge/judge.ts';
import type { Forgery } from './forgery.ts';

/** pass: refused, and the same request rightly signed was accepted. fail: accepted. */
export interface ForgedOutcome {
  readonly forgery: Forgery;
  readonly verdict: Verdict;
  readonly controlReply: Reply | undefined;
  /** A failure that the adapter's expectations name. */
  readonly known?: true;
}

/** Asks about the forgeries and judges the replies; each control is asked once. */
export async function forgedOutcomes(
  forgeries: readonly Forgery[],
  ask: (questions: readonly Question[]) => Promise<readonly Reply[]>,
): Promise<readonly ForgedOutcome[]> {
  const controls = [...new Set(forgeries.map(({ control }) => control))];
  const forged = forgeries.map(({ operation, keys, input }) => ({ operation, keys, input }));
  const [replies, controlReplies] = await Promise.all([ask(forged), ask(controls)]);
  const replyTo = new Map(controls.map((control, i) => [control, controlReplies[i]] as const));
  return forgeries.flatMap((forgery, i) => {
    const reply = replies[i];
    const controlReply = replyTo.get(forgery.control);
    return reply ? [{ forgery, verdict: judged(forgery, reply, controlReply), controlReply }] : [];
  });
}

/** Whatever reason it is refused for. */
function judged(
  { operation, reason, control: { input, keys } }: Forgery,
  reply: Reply,
  controlReply: Reply | undefined,
): Verdict {
  const expect = { publicKey: keys.publicKey };
  return verdictOn(
    { operation, refuse: { reason }, control: { input, expect } },
    reply,
    controlReply,
  );
}

export function isAccepted({ verdict }: ForgedOutcome): boolean {
  return verdict.status === 'fail';
}
