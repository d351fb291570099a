/**
 * One server asked about rightly and wrongly signed requests, and judged.
 *
 * @module
 */

import type { Dialect, Reply } from '../adapter/messages.ts';
import { forgedOutcomes } from '../forgeries/outcome.ts';
import { reasonNotes } from '../report/unasked.ts';
import { controlOf, outcomesOf, questionOf, type Run, whyDead } from '../run.ts';
import type { Vector } from '../suite/vector.ts';
import type { ServerForgeries } from './asked-forgeries.ts';
import { withoutRefusedPolicies } from './policies.ts';
import type { Prober } from './prober.ts';
import { type Unasked, unaskedOutcome } from './unasked.ts';

export interface Probe {
  /** Of the server's URL. */
  readonly origin: string;
  /** The name of the one that it is asked in. */
  readonly dialect: string;
  readonly asked: readonly Vector[];
  readonly unasked: readonly Unasked[];
  /** How many vectors show only some of what they claim. */
  readonly partial: number;
  /** Made once the server is known to work: to sign them takes its time. */
  readonly forgeries: () => ServerForgeries;
  /** The name of another dialect in which the server accepts rightly signed file requests; nothing where it accepts none. */
  readonly otherDialect: () => Promise<string | undefined>;
  readonly notes: readonly string[];
}

/** Asks everything; those questions first that show whether the server works at all. */
export async function probed(prober: Prober, planned: Probe, dialect: Dialect): Promise<Run> {
  const hello = helloOf(planned);
  const good = simplest(planned.asked);
  const signs = await prober.ask(good.map(questionOf));
  const neverWorked = (await whyOtherDialect(good, signs, planned)) ?? whyDead(good, signs);
  if (neverWorked !== undefined) return { hello, outcomes: [], neverWorked, banner: 0 };
  const probe = await withoutRefusedPolicies(prober, planned, dialect);
  const { asked, unasked } = probe;
  const controlled = asked.filter(({ control }) => control);
  const replies = await prober.ask(asked.map(questionOf));
  const controlReplies = await prober.ask(controlled.map(controlOf));
  const { forgeries, unshown } = probe.forgeries();
  const forged = await forgedOutcomes(forgeries, (questions) => prober.ask(questions));
  const replyTo = new Map(asked.map((vector, i) => [vector, replies[i]] as const));
  const controlReplyTo = new Map(
    controlled.map((vector, i) => [vector, controlReplies[i]] as const),
  );
  const outcomes = outcomesOf(asked, (vector) => ({
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
    ...(prober.over !== undefined && { over: prober.over }),
  };
}

/** The operations whose requests have no word of a dialect. */
const WITHOUT_DIALECT: readonly string[] = ['verify-query', 'verify-json'];

/** Why nothing else is asked of a server that accepts the file requests of another dialect only. */
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

/** For each operation a rightly signed request, the shortest there is. */
export function simplest(asked: readonly Vector[]): readonly Vector[] {
  const right = asked
    .filter(({ expect }) => expect)
    .toSorted((a, b) => JSON.stringify(a.input).length - JSON.stringify(b.input).length);
  const operations = [...new Set(right.map(({ operation }) => operation))];
  return operations.flatMap((name) => right.find(({ operation }) => operation === name) ?? []);
}
