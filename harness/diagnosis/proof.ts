/**
 * Which vectors catch which known mistakes.
 *
 * @module
 */
import { MISTAKES } from '../../reference/mistakes/index.ts';
import type { Mistake } from '../../reference/mistakes/mistake.ts';
import type { Question, Reply } from '../adapter/messages.ts';
import { dialectNamed } from '../dialects.ts';
import { judge } from '../judge/judge.ts';
import { ContentFolder } from '../suite/content.ts';
import { resultStages } from '../suite/operations.ts';
import type { Vector } from '../suite/vector.ts';
import { mistakenReply, stepsUsed } from './mistaken-reply.ts';

/** What one mistake makes of one vector. */
export interface Effect {
  readonly caught: boolean;
  /** The answer as far as it travels, or the refusal: what an onlooker can tell mistakes apart by. */
  readonly shown: string;
}

export interface Proof {
  /** By mistake id, then by vector id; a mistake that leaves a vector's answer alone is not there. */
  readonly effects: ReadonlyMap<string, ReadonlyMap<string, Effect>>;
}

const SVC = dialectNamed('svc');

/** Asks the reference about every vector once with each mistake that can touch it. */
export function proof(vectors: readonly Vector[], mistakes: readonly Mistake[] = MISTAKES): Proof {
  const contents = new ContentFolder();
  try {
    const asked = vectors.map((vector) => {
      const own = question(vector, contents);
      const control = vector.control && controlQuestion(vector, contents);
      const used = new Set([...stepsUsed(own, SVC), ...(control ? stepsUsed(control, SVC) : [])]);
      const right = shown(vector.operation, mistakenReply(own, [], SVC));
      return { vector, own, control, used, right };
    });
    const effects = mistakes.map((mistake) => {
      const touched = asked.filter(({ used }) =>
        Object.keys(mistake.swap).some((step) => used.has(step)),
      );
      const own = touched.flatMap(({ vector, own, control, right }): [string, Effect][] => {
        const reply = mistakenReply(own, [mistake], SVC);
        const verdict = judge(vector, reply, control && mistakenReply(control, [mistake], SVC));
        const caught = vector.level !== 'open' && verdict.status !== 'pass';
        const seen = shown(vector.operation, reply);
        return caught || seen !== right ? [[vector.id, { caught, shown: seen }]] : [];
      });
      return [mistake.id, new Map(own)] as const;
    });
    return { effects: new Map(effects) };
  } finally {
    contents.remove();
  }
}

function question({ operation, keys, input }: Vector, contents: ContentFolder): Question {
  return { operation, keys, input: contents.expanded(input) };
}

function controlQuestion(vector: Vector, contents: ContentFolder): Question {
  const { operation, keys, input, control } = vector;
  return {
    operation,
    keys: control?.keys ?? keys,
    input: contents.expanded({ ...input, ...control?.input }),
  };
}

function shown(operation: string, reply: Reply): string {
  if (reply.kind === 'result') {
    return JSON.stringify(resultStages(operation).map((stage) => reply.result[stage]));
  }
  return reply.kind === 'refused' ? `refused as ${reply.reason}` : reply.kind;
}

/** The ids of the vectors that catch a mistake. */
export function catchers({ effects }: Proof, mistake: string): readonly string[] {
  return [...(effects.get(mistake) ?? [])].filter(([, { caught }]) => caught).map(([id]) => id);
}

/** Pairs of mistakes that no vector tells apart. */
export function indistinct({ effects }: Proof): readonly (readonly [string, string])[] {
  const byLook = new Map<string, string[]>();
  for (const [id, own] of effects) {
    const look = JSON.stringify([...own].map(([vector, { shown: text }]) => [vector, text]).sort());
    byLook.set(look, [...(byLook.get(look) ?? []), id]);
  }
  return [...byLook.values()].flatMap((ids) =>
    ids.slice(1).map((id) => [ids[0] ?? '', id] as const),
  );
}

/** What the proof lacks, each as a sentence; nothing where the vectors catch what they should. */
export function gaps(found: Proof, mistakes: readonly Mistake[] = MISTAKES): readonly string[] {
  const uncaught = mistakes.flatMap(({ id, once }) => {
    const count = catchers(found, id).length;
    if (count >= (once === undefined ? 2 : 1)) return [];
    return [
      `mistake ${id} is caught by ${count} ${count === 1 ? 'vector' : 'vectors'}; add one, or say under once why there is no other`,
    ];
  });
  const alike = indistinct(found).map(
    ([a, b]) => `mistakes ${a} and ${b} are told apart by no vector; add one, or make them one`,
  );
  return [...uncaught, ...alike];
}
