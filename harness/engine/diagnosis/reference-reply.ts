/**
 * The replies of the reference with known mistakes, computed without a process.
 *
 * @module
 */
import { answerQuestion } from '../../../reference/answers.ts';
import { type Mistake, mistaken } from '../../../reference/mistakes/mistake.ts';
import { type Context, inDialect, type Steps } from '../../../reference/signing/index.ts';
import { withoutStacks } from '../answer.ts';
import type { Dialect, Question, Reply } from '../protocol.ts';
import { contentSize, type SuiteData } from '../suite-data.ts';
import { unpackEffects } from './effects.ts';
import { formatReply } from './observation.ts';
import { filterActive, Predictor } from './predictor.ts';

/** The reply of the reference with mistakes; an error if a mistake makes a step throw. */
export function replyWithMistakes(
  question: Question,
  mistakes: readonly Mistake[],
  dialect: Dialect,
): Reply {
  return computeReply(mistaken(inDialect(dialect), filterActive(question, mistakes)), question);
}

/** The reply of the reference with the steps of a context; an error if a step throws. */
export function computeReply(context: Context, { operation, input, keys }: Question): Reply {
  try {
    const answer = withoutStacks(() => answerQuestion(operation, input, keys, context));
    return 'stages' in answer
      ? { kind: 'result', result: answer.stages, trace: {} }
      : { kind: 'refused', ...answer };
  } catch (error) {
    return { kind: 'error', message: String(error) };
  }
}

/** Replacements for the steps that only check the input. */
const UNCHECKED: Partial<Steps> = {
  checkNames: () => {},
  checkPresent: () => {},
  checkMethod: () => {},
  checkBucket: () => {},
  checkHeaders: () => {},
  otherNumber: (text) => text,
};

/** The steps that an answer uses, also those after a refusal. Mistakes in other steps cannot change the answer. */
export function findUsedSteps(question: Question, dialect: Dialect): ReadonlySet<string> {
  const context = inDialect(dialect);
  const used = new Set<string>();
  const isRefused = recordSteps(used, question, context);
  if (isRefused) {
    recordSteps(used, question, { ...context, steps: { ...context.steps, ...UNCHECKED } });
  }
  return used;
}

/** Adds the names of the steps that a question uses; returns whether the question is refused. */
function recordSteps(
  used: Set<string>,
  { operation, input, keys }: Question,
  context: Context,
): boolean {
  const steps = new Proxy(context.steps, {
    get(target, name) {
      used.add(String(name));
      const step: unknown = Reflect.get(target, name);
      return step;
    },
  });
  try {
    return 'reason' in answerQuestion(operation, input, keys, { ...context, steps });
  } catch {
    // The steps until the error count.
    return true;
  }
}

/** A predictor for the answers of an adapter to the questions of the suite. */
export function createPredictor(dialect: Dialect, data: SuiteData): Predictor {
  return new Predictor(
    inDialect(dialect),
    (question, context) => formatReply(question.operation, computeReply(context, question)),
    {
      sizeOf: ({ input }) => contentSize(input),
      findSteps: (question) => data.findSteps(dialect, question),
      reasonOf: (question, context) => {
        const reply = computeReply(context, question);
        return reply.kind === 'refused' ? reply.reason : undefined;
      },
      findEffects: (question) => {
        const packed = data.findEffects(dialect, question);
        return packed && unpackEffects(packed);
      },
    },
  );
}
