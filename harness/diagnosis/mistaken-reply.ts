/**
 * What an implementation with known mistakes replies, without a process.
 *
 * @module
 */
import { type Mistake, mistaken } from '../../reference/mistakes/mistake.ts';
import { type OperationInput, outcome } from '../../reference/operations.ts';
import { type Context, inDialect, type Steps } from '../../reference/signing/index.ts';
import type { Dialect, Question, Reply } from '../adapter/messages.ts';

/** The reply of the reference with mistakes; where a mistake makes it break, an error. */
export function mistakenReply(
  question: Question,
  mistakes: readonly Mistake[],
  dialect: Dialect,
): Reply {
  return replyIn(mistaken(inDialect(dialect), mistakes), question);
}

/** The reply of the reference with the steps of a context; where they make it break, an error. */
export function replyIn(context: Context, { operation, input, keys }: Question): Reply {
  try {
    const answer = outcome(operation, input as unknown as OperationInput, keys, context);
    return 'stages' in answer
      ? { kind: 'result', result: answer.stages, trace: {} }
      : { kind: 'refused', ...answer };
  } catch (error) {
    return { kind: 'error', message: String(error) };
  }
}

/** Steps that refuse what cannot be signed, and yield nothing else. */
const UNCHECKED: Partial<Steps> = {
  checkNames: () => {},
  checkPresent: () => {},
  checkMethod: () => {},
  checkBucket: () => {},
  checkHeaders: () => {},
  otherNumber: (text) => text,
};

/** The names of the steps that an answer goes through, and would go through if nothing were refused: no other mistake can change it. */
export function stepsUsed(question: Question, dialect: Dialect): ReadonlySet<string> {
  const context = inDialect(dialect);
  const used = new Set<string>();
  if (!isRefusedAfter(used, question, context)) return used;
  isRefusedAfter(used, question, { ...context, steps: { ...context.steps, ...UNCHECKED } });
  return used;
}

/** Whether a question is refused, after steps whose names are noted. */
function isRefusedAfter(
  used: Set<string>,
  { operation, input, keys }: Question,
  context: Context,
): boolean {
  const steps = new Proxy(context.steps, {
    get(target, name) {
      used.add(String(name));
      return target[name as keyof Steps];
    },
  });
  try {
    return (
      'reason' in
      outcome(operation, input as unknown as OperationInput, keys, { ...context, steps })
    );
  } catch {
    // Whatever it went through until then is what counts.
    return true;
  }
}
