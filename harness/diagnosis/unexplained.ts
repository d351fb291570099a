/**
 * What stays unexplained, as small as it gets.
 *
 * @module
 */
import type { Dialect } from '../adapter/messages.ts';
import type { Pool } from '../adapter/pool.ts';
import { draftsOf } from '../fuzz/drafts.ts';
import { Explainer } from '../fuzz/explanation.ts';
import type { Investigator } from '../fuzz/shrinking.ts';
import { type ShrunkVector, shrunkVector } from '../fuzz/shrunk-vector.ts';
import type { Failure } from '../fuzz/trial.ts';
import type { Run } from '../run.ts';
import type { ContentFolder } from '../suite/content.ts';
import type { Vector } from '../suite/vector.ts';
import { type Diagnosis, mistakesIn } from './diagnose.ts';
import type { Ask } from './further-questions.ts';

/** Operations of which a failure is shrunk. */
const SHRUNK = 3;

/** Requests over which an adapter must not take longer; in milliseconds. */
const QUESTION_LIMIT = 1000;

/** For one operation: questions, and the milliseconds that the adapter is waited for. */
const MOST = { questions: 2000, waiting: 1500 };

interface Circumstances {
  readonly ask: Ask;
  readonly dialect: Dialect;
  readonly contents: ContentFolder;
  readonly pool: Pool;
}

/** The smallest unexplained failure of each of a few operations, shrunk further. */
export async function shrunkUnexplained(
  { causes, unexplained }: Diagnosis,
  { outcomes, hello }: Run,
  { ask, dialect, contents, pool }: Circumstances,
): Promise<readonly ShrunkVector[]> {
  const circumstances = { dialect, operations: hello?.operations ?? [] };
  const explainer = new Explainer(dialect, contents);
  const isMeant = (failure: Failure): boolean =>
    isAnswered(failure) &&
    !explainer.isExplained(failure, [mistakesIn(failure.vector.operation, causes)]);
  const vectors = smallestOfEach(
    unexplained,
    outcomes.map(({ vector }) => vector),
  ).slice(0, SHRUNK);
  const found: ShrunkVector[] = [];
  for (const vector of vectors) {
    const patience = patienceWith(ask);
    const investigator: Investigator = {
      interview: {
        ask: patience.ask,
        // A process that broke is started again with the next question.
        renew: async () => {},
        get over() {
          return pool.over;
        },
      },
      circumstances,
      contents,
      explainer,
      drafts: draftsOf(circumstances),
      timeout: QUESTION_LIMIT,
      deadline: Number.POSITIVE_INFINITY,
      isSpent: patience.isSpent,
    };
    const shrunk = await shrunkVector(investigator, vector, isMeant);
    if (shrunk) found.push(shrunk);
  }
  return found;
}

/** The same questions, counted. The harness's own work is not: on a busy machine it takes longer. */
function patienceWith(ask: Ask): { readonly ask: Ask; readonly isSpent: () => boolean } {
  let asked = 0;
  let waited = 0;
  return {
    async ask(questions) {
      const start = performance.now();
      asked += questions.length;
      const replies = await ask(questions);
      waited += performance.now() - start;
      return replies;
    },
    isSpent: () => asked >= MOST.questions || waited >= MOST.waiting,
  };
}

function isAnswered({ verdict: { status } }: Failure): boolean {
  return status === 'fail' || status === 'refused';
}

function smallestOfEach(ids: readonly string[], vectors: readonly Vector[]): readonly Vector[] {
  const byId = new Map(vectors.map((vector) => [vector.id, vector]));
  const smallest = new Map<string, Vector>();
  for (const id of ids) {
    const vector = byId.get(id);
    // A refusal has nothing around it that could be made smaller: everything else is answered.
    if (
      vector &&
      (vector.expect || vector.operation.startsWith('verify-')) &&
      !smallest.has(vector.operation)
    )
      smallest.set(vector.operation, vector);
  }
  return [...smallest.values()];
}
