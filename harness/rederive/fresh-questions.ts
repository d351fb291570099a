/**
 * A few questions on fresh data for every run: a respondent that replays published answers fails them.
 *
 * @module
 */
import { ContentFolder } from '../suite/content.ts';
import type { Stages, Vector } from '../suite/vector.ts';
import { canBeReworded, hasOtherData, reworded } from './reworded.ts';
import { randomNumbers, substitution } from './substitution.ts';

/** So many questions about one operation want an answer; fewer where there are many operations, for they take their time. */
const MOST_ANSWERS = 3;
const ANSWERS_IN_ALL = 24;

/** So many questions about an operation that verifies want a refusal. */
const REFUSALS = 1;

/** So often other letters are tried; then another vector is taken. */
const ATTEMPTS = 8;

/** Stages in Base64: whether "+", "/", "-" or "_" is in them depends on the data. */
const IN_BASE64 = ['signature', 'etag', 'policy', 'value'];

/** Seeds are counts below a million, as those of `--fresh`. */
const SEEDS = 999_999;

/** The same for the same version of the suite and of the adapter: the same run always gives the same verdict. */
export function derivedSeed(
  suite: string,
  { name, version }: { readonly name: string; readonly version: string },
): number {
  return 1 + Math.floor(SEEDS * randomNumbers(JSON.stringify([suite, name, version]))());
}

/**
 * Vectors on fresh data, a few for each operation among the given ones, from as many topics as there are.
 *
 * What a question asks depends on the seed and on the id of its vector only.
 */
export function freshQuestions(vectors: readonly Vector[], seed: number): readonly Vector[] {
  const contents = new ContentFolder();
  try {
    const usable = vectors.filter(isUsable);
    const operations = [...new Set(usable.map(({ operation }) => operation))];
    const each = Math.min(MOST_ANSWERS, Math.floor(ANSWERS_IN_ALL / operations.length));
    return operations.flatMap((name) => {
      const own = mixed(
        usable.filter(({ operation }) => operation === name),
        seed,
      );
      const answers = own.filter(({ expect }) => expect);
      // What a signer refuses says little about its answers; a verifier that accepts everything unknown must be seen.
      const refusals = name.startsWith('verify-') ? own.filter(({ refuse }) => refuse) : [];
      return [
        ...firstFresh(answers, each, seed, contents),
        ...firstFresh(refusals, REFUSALS, seed, contents),
      ];
    });
  } finally {
    contents.remove();
  }
}

/** A recipe may make many megabytes, which would take their time. */
function isUsable(vector: Vector): boolean {
  const content = vector.input['content'] as { readonly recipe?: unknown } | undefined;
  return canBeReworded(vector) && content?.recipe === undefined;
}

/** Whether letters, digits and padding are all there is: vectors of their own ask about the other signs. */
function isPlain(stages: Stages = {}): boolean {
  return IN_BASE64.every((stage) => !/[+/_-]/.test(String(stages[stage] ?? '')));
}

/** In the order of the seed, and the first of each topic before the second of any. */
function mixed(vectors: readonly Vector[], seed: number): readonly Vector[] {
  const drawn = vectors
    .map((vector) => ({ vector, at: randomNumbers(`${seed} ${vector.id}`)() }))
    .sort((a, b) => a.at - b.at);
  const counts = new Map<string, number>();
  const placed = drawn.map(({ vector }) => {
    const topic = vector.id.split('/')[1] ?? '';
    const earlier = counts.get(topic) ?? 0;
    counts.set(topic, earlier + 1);
    return { vector, earlier };
  });
  return placed.sort((a, b) => a.earlier - b.earlier).map(({ vector }) => vector);
}

function firstFresh(
  vectors: readonly Vector[],
  count: number,
  seed: number,
  contents: ContentFolder,
): readonly Vector[] {
  const made: Vector[] = [];
  for (const vector of vectors) {
    if (made.length === count) break;
    const fresh = freshQuestion(vector, seed, contents);
    if (fresh) made.push(fresh);
  }
  return made;
}

/** Absent where nothing can be replaced, or no attempt gives a plain answer. */
function freshQuestion(vector: Vector, seed: number, contents: ContentFolder): Vector | undefined {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const fresh = reworded(vector, substitution(`${seed} ${vector.id} ${attempt}`), contents);
    if (!fresh || !hasOtherData(vector, fresh)) return undefined;
    if (isPlain(fresh.expect)) return { ...fresh, id: `fresh/${vector.id}` };
  }
  return undefined;
}
