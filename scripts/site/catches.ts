/**
 * Which vectors catch which mistakes of the register, as `vectors prove` says, in seconds.
 *
 * @module
 */
import { createPredictor } from '../../harness/engine/diagnosis/reference-reply.ts';
import { parseDialect } from '../../harness/engine/dialects.ts';
import { toControlQuestion } from '../../harness/engine/judge/outcome.ts';
import { computeProof, findCatchers } from '../../harness/engine/proof/proof.ts';
import type { Question } from '../../harness/engine/protocol.ts';
import type { Vector } from '../../harness/engine/vector.ts';
import { BUNDLED } from '../../harness/suite/bundle.ts';
import { isNamed, MISTAKES } from '../../reference/mistakes/index.ts';

export interface Catches {
  /** The ids of the vectors that catch a mistake, by its id. */
  readonly byMistake: ReadonlyMap<string, readonly string[]>;
  /** The ids of the mistakes that a vector catches, by its id. */
  readonly byVector: ReadonlyMap<string, readonly string[]>;
}

/** Finds them all; an open vector catches nothing. */
export async function findCatches(vectors: readonly Vector[]): Promise<Catches> {
  const judged = vectors.filter(({ level }) => level !== 'open');
  const byMistake = new Map<string, string[]>(MISTAKES.map(({ id }) => [id, []]));
  const predictable = judged.filter((vector) => !vector.refuse?.exact);
  for (const operation of new Set(predictable.map((vector) => vector.operation))) {
    addPredicted(
      predictable.filter((vector) => vector.operation === operation),
      byMistake,
    );
  }
  // The predictor does not compare the reasons of refusals.
  const exact = await computeProof(judged.filter((vector) => vector.refuse?.exact));
  for (const [id, own] of byMistake) own.push(...findCatchers(exact, id));
  const byVector = new Map<string, string[]>(vectors.map(({ id }) => [id, []]));
  for (const [id, own] of byMistake) for (const vector of own) byVector.get(vector)?.push(id);
  return { byMistake, byVector };
}

function addPredicted(vectors: readonly Vector[], found: ReadonlyMap<string, string[]>): void {
  // A predictor for each operation: the large caches of one are useless to the next.
  const predictor = createPredictor(parseDialect('svc'), BUNDLED);
  for (const vector of vectors) {
    const caught = new Set<string>();
    for (const question of listQuestions(vector)) {
      const right = predictor.predict(question, []);
      const known = predictor.listRelevantMistakes(question).filter(isNamed);
      for (const { answer, mistakes } of predictor.computeEffects(question, [], known)) {
        if (answer !== right) for (const { id } of mistakes) caught.add(id);
      }
    }
    for (const id of caught) found.get(id)?.push(vector.id);
  }
}

function listQuestions(vector: Vector): readonly Question[] {
  const { operation, keys, input } = vector;
  return [{ operation, keys, input }, ...(vector.control ? [toControlQuestion(vector)] : [])];
}
