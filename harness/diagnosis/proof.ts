/**
 * Which vectors catch which known mistakes.
 *
 * @module
 */
import { setImmediate as turn } from 'node:timers/promises';
import { generatedMistakes, isReworded, MISTAKES } from '../../reference/mistakes/index.ts';
import { type Mistake, mistaken, touches } from '../../reference/mistakes/mistake.ts';
import { type Context, inDialect, type Steps } from '../../reference/signing/index.ts';
import type { Question, Reply } from '../adapter/messages.ts';
import { dialectNamed } from '../dialects.ts';
import { judge } from '../judge/judge.ts';
import { controlOf } from '../run.ts';
import { ContentFolder } from '../suite/content.ts';
import { resultStages } from '../suite/operations.ts';
import type { Vector } from '../suite/vector.ts';
import { replyIn, stepsUsed } from './mistaken-reply.ts';
import type { Predictor } from './predictor.ts';
import { predictorOf } from './suite-predictor.ts';

/** What one mistake makes of one vector. */
export interface Effect {
  readonly caught: boolean;
  /** The answer as far as it travels, or the refusal: what an onlooker can tell mistakes apart by. */
  readonly shown: string;
}

export interface Proof {
  /** By mistake id, then by vector id; a mistake that leaves a vector's answer alone is not there. */
  readonly effects: ReadonlyMap<string, ReadonlyMap<string, Effect>>;
  /** Of the generated mistakes: by their ids, the ids of the vectors that catch them. */
  readonly generated?: ReadonlyMap<string, readonly string[]>;
}

/** A vector with what the reference makes of it. */
interface Asked {
  readonly vector: Vector;
  readonly own: Question;
  readonly control?: Question;
  /** The steps that its answers go through. */
  readonly used: ReadonlySet<string>;
  /** What the right answer shows. */
  readonly right: string;
  /** Only of contents: their blocks, hashed once. */
  readonly blockHash?: Steps['blockHash'];
}

const SVC = dialectNamed('svc');
const RIGHT = inDialect(SVC);

/**
 * Asks the reference about every vector once with each mistake that can touch it.
 *
 * @param signal ends it early, with its reason
 */
export async function proof(
  vectors: readonly Vector[],
  mistakes: readonly Mistake[] = MISTAKES,
  signal?: AbortSignal,
): Promise<Proof> {
  const contents = new ContentFolder();
  try {
    const asked = vectors.map((vector) => askedRight(vector, contents));
    const effects = new Map<string, ReadonlyMap<string, Effect>>();
    for (const mistake of mistakes) {
      effects.set(mistake.id, effectsOf(mistake, asked));
      // A signal is only heard between two turns.
      await turn();
      signal?.throwIfAborted();
    }
    return { effects };
  } finally {
    contents.remove();
  }
}

function askedRight(vector: Vector, contents: ContentFolder): Asked {
  const { operation, keys, input } = vector;
  const expanded = (question: Question): Question => ({
    ...question,
    input: contents.expanded(question.input),
  });
  const own = expanded({ operation, keys, input });
  const control = vector.control && expanded(controlOf(vector));
  const used = new Set([...stepsUsed(own, SVC), ...(control ? stepsUsed(control, SVC) : [])]);
  const blockHash = used.has('blockHash') ? hashedOnce(RIGHT.steps.blockHash) : undefined;
  const context = blockHash ? { ...RIGHT, steps: { ...RIGHT.steps, blockHash } } : RIGHT;
  const right = shown(operation, replyIn(context, own));
  return { vector, own, used, right, ...(control && { control }), ...(blockHash && { blockHash }) };
}

function effectsOf(mistake: Mistake, asked: readonly Asked[]): ReadonlyMap<string, Effect> {
  const context = mistaken(RIGHT, [mistake]);
  const touched = asked.filter(({ used }) => touches(mistake, used));
  return new Map(
    touched.flatMap(({ vector, own, control, right, blockHash }): [string, Effect][] => {
      const isLeft = blockHash && mistake.change.blockHash === undefined;
      const known: Context = isLeft
        ? { ...context, steps: { ...context.steps, blockHash } }
        : context;
      const reply = replyIn(known, own);
      const verdict = judge(vector, reply, control && replyIn(context, control));
      const caught = vector.level !== 'open' && verdict.status !== 'pass';
      const seen = shown(vector.operation, reply);
      return caught || seen !== right ? [[vector.id, { caught, shown: seen }]] : [];
    }),
  );
}

/** A hash of one content that finds its blocks hashed when it is asked again: they are many megabytes. */
function hashedOnce(blockHash: Steps['blockHash']): Steps['blockHash'] {
  const known = new Map<number, readonly Uint8Array[]>();
  return (size) => {
    const before = known.get(size);
    if (before) return { update: () => {}, digests: () => before };
    const { update, digests } = blockHash(size);
    return {
      update,
      digests: () => {
        const hashed = digests();
        known.set(size, hashed);
        return hashed;
      },
    };
  };
}

function shown(operation: string, reply: Reply): string {
  if (reply.kind === 'result') {
    return JSON.stringify(resultStages(operation).map((stage) => reply.result[stage]));
  }
  return reply.kind === 'refused' ? `refused as ${reply.reason}` : reply.kind;
}

/** The ids of the vectors that catch a mistake. */
export function catchers({ effects, generated }: Proof, mistake: string): readonly string[] {
  const own = generated?.get(mistake);
  if (own) return own;
  return [...(effects.get(mistake) ?? [])].filter(([, { caught }]) => caught).map(([id]) => id);
}

/** The ids of all mistakes that something is known of. */
export function provedMistakes({ effects, generated }: Proof): readonly string[] {
  return [...effects.keys(), ...(generated?.keys() ?? [])];
}

/** So many vectors that catch a mistake are enough to know; a large content is not hashed for one more. */
const TWICE = 2;

/** Drawn requests that show what no vector catches, and what it is. */
export interface Uncaught {
  readonly mistake: string;
  readonly question: Question;
}

/**
 * What catches each generated mistake, and which of the others a drawn request would show.
 *
 * @param drawn questions about whatever may be asked
 * @param signal ends it early, with its reason
 */
export async function generatedProof(
  vectors: readonly Vector[],
  drawn: readonly Question[],
  contents: ContentFolder,
  signal?: AbortSignal,
): Promise<
  readonly [caught: ReadonlyMap<string, readonly string[]>, uncaught: readonly Uncaught[]]
> {
  const caught = new Map<Mistake, string[]>();
  const note = (mistake: Mistake, id: string): void => {
    const ids = caught.get(mistake) ?? [];
    if (ids.at(-1) !== id) ids.push(id);
    caught.set(mistake, ids);
  };
  const rest = async (): Promise<void> => {
    await turn();
    signal?.throwIfAborted();
  };
  const operations = [...new Set(vectors.map(({ operation }) => operation))];
  for (const name of operations) {
    // What one operation computed is of no use to the next, and it is much.
    const predictor = predictorOf(SVC, contents);
    const own = vectors.filter(({ level, operation }) => level !== 'open' && operation === name);
    for (const [id, question] of smallFirst(own, predictor)) {
      const isOpen = (mistake: Mistake): boolean => (caught.get(mistake)?.length ?? 0) < TWICE;
      const effects = predictor.isLight(question)
        ? predictor.effects(question, [])
        : predictor.effectsOf(question, [], predictor.relevant(question).filter(isOpen));
      const right = predictor.answer(question, []);
      for (const { answer, mistakes } of effects) {
        if (answer !== right) for (const mistake of mistakes) note(mistake, id);
      }
      await rest();
    }
  }
  const named = new Set<Mistake>(MISTAKES);
  const left = new Set(
    generatedMistakes().filter((mistake) => !isReworded(mistake) && !caught.has(mistake)),
  );
  const uncaught: Uncaught[] = [];
  for (const name of operations) {
    const predictor = predictorOf(SVC, contents);
    const own = drawn.filter((one) => one.operation === name && predictor.isLight(one));
    for (const question of own) {
      const right = predictor.answer(question, []);
      const candidates = predictor.relevant(question).filter((mistake) => left.has(mistake));
      for (const { answer, mistakes } of predictor.effectsOf(question, [], candidates)) {
        if (answer === right) continue;
        for (const mistake of mistakes) {
          uncaught.push({ mistake: mistake.id, question });
          left.delete(mistake);
        }
      }
      await rest();
    }
  }
  const ids = [...caught].flatMap(([mistake, own]) =>
    named.has(mistake) ? [] : [[mistake.id, own] as const],
  );
  return [new Map(ids), uncaught];
}

/** The questions of vectors and of their controls, those with large contents last. */
function smallFirst(
  vectors: readonly Vector[],
  predictor: Predictor,
): readonly (readonly [id: string, question: Question])[] {
  return vectors
    .flatMap((vector) =>
      [vector, ...(vector.control ? [controlOf(vector)] : [])].map(
        ({ operation, keys, input }) => [vector.id, { operation, keys, input }] as const,
      ),
    )
    .filter(([, question]) => predictor.isQuick(question))
    .sort(([, a], [, b]) => Number(predictor.isLight(b)) - Number(predictor.isLight(a)));
}
