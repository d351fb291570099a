/**
 * One server asked about rightly and wrongly signed requests, and judged.
 *
 * @module
 */

import { forgedOutcomes } from '../forgeries/outcome.ts';
import { controlOf, outcomesOf, questionOf, type Run, whyDead } from '../run.ts';
import type { Vector } from '../suite/vector.ts';
import type { ServerForgeries } from './asked-forgeries.ts';
import type { Prober } from './prober.ts';
import { type Unasked, unaskedNotes, unaskedOutcome } from './unasked.ts';

export interface Probe {
  /** Of the server's URL. */
  readonly origin: string;
  readonly asked: readonly Vector[];
  readonly unasked: readonly Unasked[];
  /** How many vectors show only some of what they claim. */
  readonly partial: number;
  /** Made once the server is known to work: to sign them takes its time. */
  readonly forgeries: () => ServerForgeries;
  readonly notes: readonly string[];
}

/** Asks everything; those questions first that show whether the server works at all. */
export async function probed(prober: Prober, probe: Probe): Promise<Run> {
  const { asked, unasked } = probe;
  const hello = helloOf(probe);
  const good = simplest(asked);
  const neverWorked = whyDead(good, await prober.ask(good.map(questionOf)));
  if (neverWorked !== undefined) return { hello, outcomes: [], neverWorked, banner: 0 };
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
      ...unaskedNotes(
        ['vector not asked', 'vectors not asked'],
        unasked.map(({ why }) => why),
      ),
      ...unaskedNotes(
        ['known mistake shown by no request', 'known mistakes shown by no request'],
        unshown,
      ),
    ],
    ...(forged.length > 0 && { forged }),
    ...(prober.over !== undefined && { over: prober.over }),
  };
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
function simplest(asked: readonly Vector[]): readonly Vector[] {
  const right = asked
    .filter(({ expect }) => expect)
    .sort((a, b) => JSON.stringify(a.input).length - JSON.stringify(b.input).length);
  const operations = [...new Set(right.map(({ operation }) => operation))];
  return operations.flatMap((name) => right.find(({ operation }) => operation === name) ?? []);
}
