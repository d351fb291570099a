/**
 * What an adapter with certain mistakes would have answered to the questions of a suite.
 *
 * @module
 */
import { type Context, inDialect, STEPS, type Steps } from '../../reference/signing/index.ts';
import type { Dialect, Question } from '../adapter/messages.ts';
import { type ContentFolder, contentSize } from '../suite/content.ts';
import { replyIn } from './mistaken-reply.ts';
import { Predictor } from './predictor.ts';
import { shownReply } from './shown-reply.ts';

/** The answers of a process to the questions of a suite. */
export function predictorOf(dialect: Dialect, contents: ContentFolder): Predictor {
  const expanded = new Map<Question, Question>();
  const hashed = new Map<Question, Map<number, readonly Uint8Array[]>>();
  return new Predictor(
    inDialect(dialect),
    (question, context) => {
      const known = expanded.get(question) ?? {
        ...question,
        input: contents.expanded(question.input),
      };
      expanded.set(question, known);
      const isOfContent =
        'content' in question.input && context.steps.blockHash === STEPS.blockHash;
      const asked = isOfContent ? hashingOnce(context, question, hashed) : context;
      return shownReply(question.operation, replyIn(asked, known));
    },
    ({ input }) => contentSize(input),
  );
}

/** The specification, but for blocks of a content that were hashed before: they are many megabytes. */
function hashingOnce(
  context: Context,
  question: Question,
  hashed: Map<Question, Map<number, readonly Uint8Array[]>>,
): Context {
  const known = hashed.get(question) ?? new Map<number, readonly Uint8Array[]>();
  hashed.set(question, known);
  const blockHash: Steps['blockHash'] = (size) => {
    const before = known.get(size);
    if (before) return { update: () => {}, digests: () => before };
    const { update, digests } = STEPS.blockHash(size);
    return {
      update,
      digests: () => {
        const all = digests();
        known.set(size, all);
        return all;
      },
    };
  };
  return { ...context, steps: { ...context.steps, blockHash } };
}
