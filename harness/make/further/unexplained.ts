/**
 * Shrinks the failures that no known mistake explains.
 *
 * @module
 */
import { isVerifier } from '../../../reference/operations.ts';
import { type Diagnosis, listMistakesIn } from '../../engine/diagnosis/diagnose.ts';
import type { ShrunkVector } from '../../engine/diagnosis/explanation.ts';
import type { Run } from '../../engine/judge/outcome.ts';
import type { Dialect } from '../../engine/protocol.ts';
import type { Respondent } from '../../engine/respondent.ts';
import type { SuiteData } from '../../engine/suite-data.ts';
import type { Vector } from '../../engine/vector.ts';
import { createDrafts } from '../fuzz/drafts.ts';
import { Explainer } from '../fuzz/explanation.ts';
import { type Investigator, shrinkVector } from '../fuzz/shrinking.ts';
import type { Failure } from '../fuzz/trial.ts';

/** Failures of so many operations are shrunk. */
const MOST_OPERATIONS = 3;

/** The time limits for one question, and for those that are asked together; in milliseconds. */
const QUESTION_LIMIT = 1000;
const LIMIT = 2000;

/** The limits for one operation: questions, and the time spent waiting for the adapter in milliseconds. */
const MOST = { questions: 2000, waiting: 1500 };

interface Context {
  readonly respondent: Respondent;
  readonly dialect: Dialect;
  readonly data: SuiteData;
}

/** Shrinks the smallest unexplained failure of each of a few operations. */
export async function shrinkUnexplained(
  { causes, unexplained }: Diagnosis,
  { outcomes, hello }: Run,
  context: Context,
): Promise<readonly ShrunkVector[]> {
  const { dialect, data } = context;
  const circumstances = { dialect, operations: hello?.operations ?? [] };
  const explainer = new Explainer(dialect, data);
  const isUnexplained = (failure: Failure): boolean =>
    ['fail', 'refused'].includes(failure.verdict.status) &&
    !explainer.isExplained(failure, [listMistakesIn(failure.trial.vector.operation, causes)]);
  const drafts = createDrafts(circumstances);
  const vectors = outcomes.map(({ vector }) => vector);
  const found: ShrunkVector[] = [];
  for (const vector of smallestByOperation(unexplained, vectors).slice(0, MOST_OPERATIONS)) {
    const investigator: Investigator = {
      ...createBudget(context),
      circumstances,
      explainer,
      drafts,
      timeout: QUESTION_LIMIT,
      deadline: Number.POSITIVE_INFINITY,
    };
    const shrunk = await shrinkVector(investigator, vector, isUnexplained);
    if (shrunk) found.push(shrunk);
  }
  return found;
}

/** Counts questions and waiting time. The harness's own time does not count: it depends on the load of the machine. */
function createBudget({ respondent }: Context): Pick<Investigator, 'session' | 'isSpent'> {
  let asked = 0;
  let waited = 0;
  return {
    session: {
      async ask(questions) {
        const start = performance.now();
        asked += questions.length;
        const replies = await respondent.ask(questions, { within: LIMIT });
        waited += performance.now() - start;
        return replies;
      },
      // The respondent itself restarts a broken process for the next question.
      renew: async () => {},
      get stopReason() {
        return respondent.stopReason;
      },
    },
    isSpent: () => asked >= MOST.questions || waited >= MOST.waiting,
  };
}

/** For each operation, the first of the ids whose request can be made smaller. */
function smallestByOperation(
  ids: readonly string[],
  vectors: readonly Vector[],
): readonly Vector[] {
  const byId = new Map(vectors.map((vector) => [vector.id, vector]));
  const smallest = new Map<string, Vector>();
  for (const id of ids) {
    const vector = byId.get(id);
    if (vector && canShrink(vector) && !smallest.has(vector.operation)) {
      smallest.set(vector.operation, vector);
    }
  }
  return [...smallest.values()];
}

/** If a signer must refuse a request, it answers the smaller requests around it. */
function canShrink({ expect, operation }: Vector): boolean {
  return expect !== undefined || isVerifier(operation);
}
