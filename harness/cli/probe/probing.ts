/**
 * Asks a server about correctly and wrongly signed requests, and judges it.
 *
 * @module
 */

import { askForgeries } from '../../engine/judge/forgery.ts';
import {
  diagnoseDeadAdapter,
  judgeAll,
  type Run,
  toControlQuestion,
  toQuestion,
} from '../../engine/judge/outcome.ts';
import type { Dialect, Reply } from '../../engine/protocol.ts';
import { reasonNotes } from '../../engine/report/reason-notes.ts';
import type { Vector } from '../../engine/vector.ts';
import type { Prober } from '../../respondents/server/prober.ts';
import { withoutRefusedPolicies } from './policies.ts';
import { type Probe, unaskedOutcome } from './probe.ts';

/** Asks everything. The first questions show whether the server works at all. */
export async function probeAll(prober: Prober, planned: Probe, dialect: Dialect): Promise<Run> {
  const hello = helloOf(planned);
  const good = simplest(planned.asked);
  const signs = await prober.ask(good.map(toQuestion));
  const neverWorked =
    (await whyOtherDialect(good, signs, planned)) ?? diagnoseDeadAdapter(good, signs);
  if (neverWorked !== undefined) return { hello, outcomes: [], neverWorked, banner: 0 };
  const probe = await withoutRefusedPolicies(prober, planned, dialect);
  const { asked, unasked } = probe;
  const controlled = asked.filter(({ control }) => control);
  const replies = await prober.ask(asked.map(toQuestion));
  const controlReplies = await prober.ask(controlled.map(toControlQuestion));
  const { forgeries, unshown } = probe.forgeries();
  const forged = await askForgeries(forgeries, (questions) => prober.ask(questions));
  const replyTo = new Map(asked.map((vector, i) => [vector, replies[i]] as const));
  const controlReplyTo = new Map(
    controlled.map((vector, i) => [vector, controlReplies[i]] as const),
  );
  const outcomes = judgeAll(asked, (vector) => ({
    reply: replyTo.get(vector) ?? { kind: 'unsupported' },
    controlReply: controlReplyTo.get(vector),
  }));
  return {
    hello,
    outcomes: [...outcomes, ...unasked.map(unaskedOutcome)],
    banner: 0,
    notes: [
      ...probe.notes,
      ...partialNotes(probe),
      ...reasonNotes(
        ['vector not asked', 'vectors not asked'],
        unasked.map(({ why }) => why),
      ),
      ...reasonNotes(
        ['known mistake shown by no request', 'known mistakes shown by no request'],
        unshown,
      ),
    ],
    ...(forged.length > 0 && { forged }),
    ...(prober.over !== undefined && { stopReason: prober.over }),
  };
}

/** The operations whose requests do not depend on the dialect. */
const WITHOUT_DIALECT: readonly string[] = ['verify-query', 'verify-json'];

/** Why the probe stops: the server accepts the file requests of another dialect only. */
async function whyOtherDialect(
  good: readonly Vector[],
  replies: readonly Reply[],
  { otherDialect, dialect }: Probe,
): Promise<string | undefined> {
  const ofFiles = replies.filter(
    (_, i) => !WITHOUT_DIALECT.includes(good[i]?.operation ?? WITHOUT_DIALECT[0] ?? ''),
  );
  if (ofFiles.length === 0 || ofFiles.some(({ kind }) => kind !== 'refused')) return undefined;
  const other = await otherDialect();
  return other === undefined
    ? undefined
    : `it accepts file requests in the dialect ${other} and refuses them in ${dialect}; give --dialect ${other}`;
}

function partialNotes({ partial }: Probe): readonly string[] {
  if (partial === 0) return [];
  const they = partial === 1 ? 'vector shows' : 'vectors show';
  return [`${partial} ${they} less than claimed, with this key pair and this clock`];
}

function helloOf({ origin, asked }: Probe): NonNullable<Run['hello']> {
  return {
    implementation: { name: 'server', version: origin, language: 'HTTP' },
    operations: [...new Set(asked.map(({ operation }) => operation))],
  };
}

/** The shortest correctly signed request of each operation. */
export function simplest(asked: readonly Vector[]): readonly Vector[] {
  const right = asked
    .filter(({ expect }) => expect)
    .toSorted((a, b) => JSON.stringify(a.input).length - JSON.stringify(b.input).length);
  const operations = [...new Set(right.map(({ operation }) => operation))];
  return operations.flatMap((name) => right.find(({ operation }) => operation === name) ?? []);
}
