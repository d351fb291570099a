/**
 * Proves which vectors catch which mistakes, and writes that as data.
 *
 * @module
 */
import { generatedMistakes, isReworded, MISTAKES } from '../../../reference/mistakes/index.ts';
import { type Mistake, mistaken, touches } from '../../../reference/mistakes/mistake.ts';
import { resultStages } from '../../../reference/operations.ts';
import { inDialect, type Steps, withSteps } from '../../../reference/signing/index.ts';
import {
  cacheBlocks,
  filterActive,
  LARGEST_CONTENT,
  type Predictor,
} from '../diagnosis/predictor.ts';
import { computeReply, createPredictor, findUsedSteps } from '../diagnosis/reference-reply.ts';
import { OPAQUE } from '../diagnosis/trail.ts';
import { parseDialect } from '../dialects.ts';
import { groupByKey } from '../group-by-key.ts';
import { judge } from '../judge/judge.ts';
import { toControlQuestion, toQuestion } from '../judge/outcome.ts';
import type { Question, Reply } from '../protocol.ts';
import { contentSize, type SuiteData } from '../suite-data.ts';
import type { Suite, Vector } from '../vector.ts';

export interface Effect {
  readonly caught: boolean;
  /** The result or the refusal, as a text that tells mistakes apart. */
  readonly shown: string;
}

export interface Proof {
  /** By mistake id, then by vector id; only mistakes that change the vector's answer. */
  readonly effects: ReadonlyMap<string, ReadonlyMap<string, Effect>>;
  /** For generated mistakes: the ids of the vectors that catch them, by mistake id. */
  readonly generated?: ReadonlyMap<string, readonly string[]>;
  /** The ids of the vectors that only `--large` asks. */
  readonly large?: ReadonlySet<string>;
  /** The ids of the vectors that expect another answer than the reference gives: every mistake would seem to be caught. */
  readonly refuted?: readonly string[];
}

/** A vector, prepared for many mistakes. */
interface PreparedVector {
  readonly vector: Vector;
  readonly own: Question;
  readonly control: Question | undefined;
  /** The steps that its answers use. */
  readonly used: ReadonlySet<string>;
  /** The correct answer, formatted. */
  readonly right: string;
  /** Whether the vector expects another answer. */
  readonly isRefuted: boolean;
  /** Caches the blocks of its content, if it has one. */
  readonly blockHash: Steps['blockHash'] | undefined;
}

/** Lets the caller interrupt a long computation: an error from it stops the computation. */
type Pause = () => Promise<void>;

const NO_PAUSE: Pause = async () => {};

const SVC = parseDialect('svc');
const RIGHT = inDialect(SVC);

/**
 * Computes the answer of the reference to every vector, with each mistake that can affect it.
 *
 * @param pause is awaited after each mistake
 */
export async function computeProof(
  vectors: readonly Vector[],
  mistakes: readonly Mistake[] = MISTAKES,
  pause: Pause = NO_PAUSE,
): Promise<Proof> {
  const asked = prepareVectors(vectors, mistakes);
  const effects = new Map<string, ReadonlyMap<string, Effect>>();
  for (const mistake of mistakes) {
    effects.set(mistake.id, computeEffects(mistake, asked));
    await pause();
  }
  const large = new Set(vectors.filter((vector) => vector.large).map(({ id }) => id));
  const refuted = asked.flatMap(({ vector, isRefuted }) => (isRefuted ? [vector.id] : []));
  return { effects, large, refuted };
}

/** Leaves out large vectors if no mistake is in a step of the other vectors of their operation: a large content takes seconds to hash. */
function prepareVectors(
  vectors: readonly Vector[],
  mistakes: readonly Mistake[],
): readonly PreparedVector[] {
  const usual = vectors.filter(({ large }) => !large).map(prepareVector);
  const untouched = new Set(usual.map(({ vector }) => vector.operation));
  for (const { vector, used } of usual) {
    if (mistakes.some((mistake) => touches(mistake, used))) untouched.delete(vector.operation);
  }
  return vectors
    .filter(({ operation, large }) => !large || !untouched.has(operation))
    .map(prepareVector);
}

/** Vectors are prepared once for all mistakes that are proved one by one: it hashes their contents twice. */
const preparedVectors = new WeakMap<Vector, PreparedVector>();

function prepareVector(vector: Vector): PreparedVector {
  const prepared = preparedVectors.get(vector) ?? computePrepared(vector);
  preparedVectors.set(vector, prepared);
  return prepared;
}

function computePrepared(vector: Vector): PreparedVector {
  const own = toQuestion(vector);
  const control = vector.control && toControlQuestion(vector);
  const used = new Set([own, control ?? []].flat().flatMap((one) => [...findUsedSteps(one, SVC)]));
  const blockHash = used.has('blockHash') ? cacheBlocks(RIGHT.steps.blockHash) : undefined;
  const context = blockHash ? withSteps(RIGHT, { blockHash }) : RIGHT;
  const reply = computeReply(context, own);
  const { status } = judge(vector, reply, control && computeReply(context, control));
  const right = formatShown(vector.operation, reply);
  const isRefuted = vector.level !== 'open' && status !== 'pass';
  return { vector, own, control, used, right, isRefuted, blockHash };
}

function computeEffects(
  mistake: Mistake,
  asked: readonly PreparedVector[],
): ReadonlyMap<string, Effect> {
  const context = mistaken(RIGHT, [mistake]);
  const isSlow = OPAQUE.some((step) => mistake.change[step] !== undefined);
  const touched = asked.filter(
    ({ used, own }) =>
      touches(mistake, used) && !(isSlow && contentSize(own.input) > LARGEST_CONTENT),
  );
  const replyTo = (question: Question, blockHash?: Steps['blockHash']): Reply => {
    const own = filterActive(question, [mistake]).length === 0 ? RIGHT : context;
    const isLeft = blockHash && mistake.change.blockHash === undefined;
    return computeReply(isLeft ? withSteps(own, { blockHash }) : own, question);
  };
  return new Map(
    touched.flatMap(({ vector, own, control, right, blockHash }): [string, Effect][] => {
      const reply = replyTo(own, blockHash);
      const verdict = judge(vector, reply, control && replyTo(control));
      const caught = vector.level !== 'open' && verdict.status !== 'pass';
      const seen = formatShown(vector.operation, reply);
      return caught || seen !== right ? [[vector.id, { caught, shown: seen }]] : [];
    }),
  );
}

function formatShown(operation: string, reply: Reply): string {
  if (reply.kind === 'result') {
    return JSON.stringify(resultStages(operation).map((stage) => reply.result[stage]));
  }
  return reply.kind === 'refused' ? `refused as ${reply.reason}` : reply.kind;
}

export function findCatchers({ effects, generated }: Proof, mistake: string): readonly string[] {
  const changed = [...(effects.get(mistake) ?? [])];
  return generated?.get(mistake) ?? changed.filter(([, { caught }]) => caught).map(([id]) => id);
}

export function listProvedMistakes({ effects, generated }: Proof): readonly string[] {
  return [...effects.keys(), ...(generated?.keys() ?? [])];
}

/** A mistake that this many vectors catch needs no further one, so no large content is hashed for it. */
const TWICE = 2;

/** A mistake that no vector catches, and a random question that shows it. */
export interface Uncaught {
  readonly mistake: string;
  readonly question: Question;
}

/**
 * Finds the vectors that catch each generated mistake, and random questions that show the others.
 *
 * @param drawn random questions
 * @param pause is awaited after each question
 */
export async function computeGeneratedProof(
  vectors: readonly Vector[],
  drawn: readonly Question[],
  data: SuiteData,
  pause: Pause = NO_PAUSE,
): Promise<
  readonly [caught: ReadonlyMap<string, readonly string[]>, uncaught: readonly Uncaught[]]
> {
  const operations = [...new Set(vectors.map(({ operation }) => operation))];
  const caught = await findCaught(vectors, operations, data, pause);
  const left = new Set(
    generatedMistakes().filter((mistake) => !isReworded(mistake) && !caught.has(mistake)),
  );
  const uncaught = await findShownByDrawn(left, drawn, operations, data, pause);
  const named = new Set<Mistake>(MISTAKES);
  const ids = [...caught].flatMap(([mistake, own]) =>
    named.has(mistake) ? [] : [[mistake.id, own] as const],
  );
  return [new Map(ids), uncaught];
}

async function findCaught(
  vectors: readonly Vector[],
  operations: readonly string[],
  data: SuiteData,
  pause: Pause,
): Promise<ReadonlyMap<Mistake, readonly string[]>> {
  const caught = new Map<Mistake, string[]>();
  const note = (mistake: Mistake, id: string): void => {
    const ids = caught.get(mistake) ?? [];
    if (ids.at(-1) !== id) ids.push(id);
    caught.set(mistake, ids);
  };
  for (const name of operations) {
    // A predictor for each operation: the large caches of one are useless to the next.
    const predictor = createPredictor(SVC, data);
    const own = vectors.filter(({ level, operation }) => level !== 'open' && operation === name);
    for (const [id, question] of sortSmallFirst(own, predictor)) {
      const isLight = predictor.isLight(question);
      const isOpen = (mistake: Mistake): boolean =>
        isLight || (caught.get(mistake)?.length ?? 0) < TWICE;
      for (const mistake of findEffective(question, predictor, isOpen)) note(mistake, id);
      await pause();
    }
  }
  return caught;
}

/** The candidates that change the answer to a question. */
function findEffective(
  question: Question,
  predictor: Predictor,
  isCandidate: (mistake: Mistake) => boolean,
): readonly Mistake[] {
  const right = predictor.predict(question, []);
  const candidates = predictor.listRelevantMistakes(question).filter(isCandidate);
  return predictor
    .computeEffects(question, [], candidates)
    .filter(({ answer }) => answer !== right)
    .flatMap(({ mistakes }) => mistakes);
}

/** Finds a random question for each mistake that it can; removes these mistakes from `left`. */
async function findShownByDrawn(
  left: Set<Mistake>,
  drawn: readonly Question[],
  operations: readonly string[],
  data: SuiteData,
  pause: Pause,
): Promise<readonly Uncaught[]> {
  const uncaught: Uncaught[] = [];
  for (const name of operations) {
    const predictor = createPredictor(SVC, data);
    const own = drawn.filter((one) => one.operation === name && predictor.isLight(one));
    for (const question of own) {
      for (const mistake of findEffective(question, predictor, (one) => left.has(one))) {
        uncaught.push({ mistake: mistake.id, question });
        left.delete(mistake);
      }
      await pause();
    }
  }
  return uncaught;
}

/** The questions of vectors and their controls; those with large contents come last. */
function sortSmallFirst(
  vectors: readonly Vector[],
  predictor: Predictor,
): readonly (readonly [id: string, question: Question])[] {
  return vectors
    .flatMap((vector) => {
      const controls = vector.control ? [toControlQuestion(vector)] : [];
      return [toQuestion(vector), ...controls].map((asked) => [vector.id, asked] as const);
    })
    .filter(([, question]) => predictor.isQuick(question))
    .sort(([, a], [, b]) => Number(predictor.isLight(b)) - Number(predictor.isLight(a)));
}

export interface Matrix {
  readonly version: string;
  readonly counts: {
    readonly mistakes: number;
    readonly vectors: number;
    readonly smoke: number;
  };
  readonly mistakes: readonly {
    readonly id: string;
    readonly rule: string;
    readonly caughtBy: readonly string[];
  }[];
  readonly vectors: readonly {
    readonly id: string;
    readonly level: string;
    readonly catches: readonly string[];
    readonly large?: true;
    readonly keep?: string;
  }[];
  readonly smoke: readonly string[];
}

export function createMatrix(
  { version, vectors }: Suite,
  found: Proof,
  smoke: readonly string[],
): Matrix {
  const mistakes = MISTAKES.map(({ id, rule }) => {
    return { id, rule, caughtBy: findCatchers(found, id) };
  });
  const catches = groupByKey(
    mistakes.flatMap(({ id, caughtBy }) => caughtBy.map((vector) => [vector, id] as const)),
  );
  return {
    version,
    counts: {
      mistakes: mistakes.length,
      vectors: vectors.length,
      smoke: smoke.length,
    },
    mistakes,
    vectors: vectors.map(({ id, level, keep, large }) => ({
      id,
      level,
      catches: catches.get(id) ?? [],
      ...(large && { large }),
      ...(keep !== undefined && { keep }),
    })),
    smoke,
  };
}
