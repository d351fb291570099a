/**
 * Finds which vectors catch which mistakes of the register, like `vectors prove`, but in seconds.
 *
 * @module
 */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createPredictor } from '../../harness/engine/diagnosis/reference-reply.ts';
import { parseDialect } from '../../harness/engine/dialects.ts';
import { toControlQuestion, toQuestion } from '../../harness/engine/judge/outcome.ts';
import { computeProof, findCatchers as findProved } from '../../harness/engine/proof/proof.ts';
import { contentSize } from '../../harness/engine/suite-data.ts';
import type { Vector } from '../../harness/engine/vector.ts';
import { BUNDLED } from '../../harness/suite/bundle.ts';
import { isNamed, MISTAKES } from '../../reference/mistakes/index.ts';
import { isList, isPair, isText } from '../../reference/values.ts';

/** For each mistake, by its id: the ids of the vectors that catch it. */
export type Catchers = ReadonlyMap<string, readonly string[]>;

/** Whether a value is a mistake with the vectors that catch it. */
export function isCatch(value: unknown): value is readonly [string, readonly string[]] {
  return isPair(value) && isList(value[1]) && value[1].every(isText);
}

/** Finds all catches. Vectors with contents are computed in a separate thread. */
export async function findAllCatchers(vectors: readonly Vector[]): Promise<Catchers> {
  const isHeavy = ({ input }: Vector): boolean => contentSize(input) > 0;
  const worker = new Worker(new URL('./catches-worker.js', import.meta.url), {
    workerData: vectors.filter(isHeavy),
  });
  const message = once(worker, 'message');
  const light = await findCatchers(vectors.filter((vector) => !isHeavy(vector)));
  const [heavy]: readonly unknown[] = await message;
  const entries: readonly unknown[] = heavy instanceof Map ? [...heavy] : [];
  const ofHeavy = new Map(entries.filter(isCatch));
  const order = new Map(vectors.map(({ id }, at) => [id, at]));
  const place = (id: string): number => order.get(id) ?? 0;
  return new Map(
    MISTAKES.map(({ id }) => {
      const all = [...(light.get(id) ?? []), ...(ofHeavy.get(id) ?? [])];
      return [id, all.sort((a, b) => place(a) - place(b))];
    }),
  );
}

/** Finds the mistakes that these vectors catch. An open vector catches no mistake. */
export async function findCatchers(vectors: readonly Vector[]): Promise<Catchers> {
  const judged = vectors.filter(({ level }) => level !== 'open');
  const found = new Map<string, string[]>(MISTAKES.map(({ id }) => [id, []]));
  const predictable = judged.filter((vector) => !vector.refuse?.exact);
  for (const operation of new Set(predictable.map((vector) => vector.operation))) {
    addPredicted(
      predictable.filter((vector) => vector.operation === operation),
      found,
    );
  }
  // The predictor does not compare the reasons of refusals.
  const exact = await computeProof(judged.filter((vector) => vector.refuse?.exact));
  for (const [id, own] of found) own.push(...findProved(exact, id));
  return found;
}

function addPredicted(vectors: readonly Vector[], found: ReadonlyMap<string, string[]>): void {
  // A predictor for each operation: the large caches of one are useless to the next.
  const predictor = createPredictor(parseDialect('svc'), BUNDLED);
  for (const vector of vectors) {
    const caught = new Set<string>();
    const control = vector.control ? [toControlQuestion(vector)] : [];
    for (const question of [toQuestion(vector), ...control]) {
      const right = predictor.predict(question, []);
      const known = predictor.listRelevantMistakes(question).filter(isNamed);
      for (const { answer, mistakes } of predictor.computeEffects(question, [], known)) {
        if (answer !== right) for (const { id } of mistakes) caught.add(id);
      }
    }
    for (const id of caught) found.get(id)?.push(vector.id);
  }
}
