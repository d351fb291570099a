/**
 * The causes that a run finds for an implementation with planted mistakes, in the process of the test.
 *
 * @module
 */
import type { FoundCause } from '../../harness/engine/diagnosis/diagnose.ts';
import type { Observation } from '../../harness/engine/diagnosis/observation.ts';
import { createPredictor } from '../../harness/engine/diagnosis/reference-reply.ts';
import { parseDialect } from '../../harness/engine/dialects.ts';
import { toQuestion } from '../../harness/engine/judge/outcome.ts';
import { runVectors } from '../../harness/engine/judge/run.ts';
import type { Dialect, Question, Reply } from '../../harness/engine/protocol.ts';
import { diagnoseRun } from '../../harness/make/further/interrogation.ts';
import { BUNDLED, bundledSuite } from '../../harness/suite/bundle.ts';
import { generatedMistakes, MISTAKES, type Mistake } from '../../reference/mistakes/index.ts';
import type { Context } from '../../reference/signing/index.ts';
import { someOf } from '../amount.ts';
import { answerIn, contextWith } from './mistaken-respondent.ts';

export const SVC: Dialect = parseDialect('svc');
export const KNOWN: readonly Mistake[] = [...MISTAKES, ...generatedMistakes()];

const contexts = new Map<string, Context>();

/** The reply of an implementation with these mistakes. */
export function answerWith(question: Question, ...ids: readonly string[]): Reply {
  const name = ids.join();
  const context = contexts.get(name) ?? contextWith(ids, 'svc');
  contexts.set(name, context);
  return answerIn(context, question);
}

/** Answers with these mistakes. */
export const making =
  (...ids: readonly string[]): Answer =>
  (question) =>
    answerWith(question, ...ids);

/** Answers with these mistakes if the question is of this kind, otherwise correctly. */
export const makingIf =
  (isMade: (question: Question) => boolean, ...ids: readonly string[]): Answer =>
  (question) =>
    isMade(question) ? answerWith(question, ...ids) : answerWith(question);

export function knownMistake(id: string): Mistake {
  const found = KNOWN.find((mistake) => mistake.id === id);
  if (!found) throw new Error(`no mistake is named ${id}`);
  return found;
}

/** The answers of an implementation with mistakes to the answered questions of an operation. */
export function observe(
  operation: string,
  mistakes: readonly Mistake[],
  isAsked: (input: Question['input']) => boolean = () => true,
): readonly (Observation & { readonly id: string })[] {
  const predictor = createPredictor(SVC, BUNDLED);
  const vectors = bundledSuite().vectors.filter(
    (vector) => vector.operation === operation && vector.expect && isAsked(vector.input),
  );
  return vectors.map((vector) => {
    const question = toQuestion(vector);
    const [right = '', actual = ''] = [[], mistakes].map((made) =>
      predictor.predict(question, made),
    );
    return { id: vector.id, question, right, actual };
  });
}

type Answer = (question: Question) => Reply;

interface Finding {
  /** In `npm test`, only one in this many vectors of the operations is asked. */
  readonly share?: number;
  /** Creates the implementation anew, like a new process. */
  readonly renew?: () => Answer;
}

/** The causes that a run over some operations finds, with their confidence. */
export async function findCauses(
  operations: readonly string[],
  answer: Answer,
  finding: Finding = {},
): Promise<readonly (readonly [cause: string, confidence: string])[]> {
  const causes = await findFullCauses(operations, answer, finding);
  return causes.map(({ mistake, confidence }) => [mistake.id, confidence]);
}

/** The same causes, with their evidence and the other mistakes that fit. */
export async function findFullCauses(
  operations: readonly string[],
  answer: Answer,
  { share = 1, renew }: Finding = {},
): Promise<readonly FoundCause[]> {
  const vectors = someOf(
    bundledSuite().vectors.filter(
      ({ operation, large }) => operations.includes(operation) && !large,
    ),
    share,
  );
  const respondent = {
    stopReason: undefined,
    hello: async () => ({
      implementation: { name: 'planted', version: '1', language: 'javascript' },
      operations,
    }),
    ask: async (questions: readonly Question[]) => questions.map(answer),
    ...(renew && { askAnew: async (question: Question) => renew()(question) }),
    abort: () => {},
    close: async () => {},
  };
  const run = await runVectors(respondent, { vectors, knownGood: [] });
  const context = { respondent, dialect: SVC, data: BUNDLED, unasked: async () => [] };
  return (await diagnoseRun(run, context)).causes;
}
