/**
 * The mistake in writing an answer that gives a certain text, while everything that is signed is right.
 *
 * @module
 */
import { type Mistake, mistakesAt, type StepName } from '../../../reference/mistakes/index.ts';
import { overriding } from '../../../reference/mistakes/mistake.ts';
import { type Context, inDialect } from '../../../reference/signing/index.ts';
import type { Dialect, Question } from '../../adapter/messages.ts';
import { equalForm } from '../../judge/equal-form.ts';
import type { Stages } from '../../suite/vector.ts';
import { plainestFirst } from '../diagnose.ts';
import { replyIn } from '../mistaken-reply.ts';
import { Predictor } from '../predictor.ts';
import { bytesOf } from './due.ts';

/** A question and its right answer. */
export type Answered = Question & { readonly expect: Stages };

/** Whether a step writes bytes as text: what is signed is known before it. */
export const writesBytes = (step: StepName): boolean =>
  /^(?:actionSignature|fileSignature|etag|partEtag|password|policy)Text$/.test(step);

/** The plainest mistake that gives one of these texts, and which of them, the first that any gives; nothing where none does. */
export function writingMistake(
  { operation, keys, input, expect }: Answered,
  stage: string,
  texts: readonly string[],
  dialect: Dialect,
): readonly [mistake: Mistake, at: number] | undefined {
  const shown = (value: unknown): string => equalForm(operation, stage, value);
  const predictorWith = (digest: Uint8Array | undefined): Predictor =>
    new Predictor(signedAs(inDialect(dialect), digest), (asked, context) => {
      const reply = replyIn(context, asked);
      return reply.kind === 'result' ? shown(reply.result[stage]) : undefined;
    });
  const digest = bytesOf(String(expect['signature'] ?? expect['etag'] ?? ''));
  const predictor = predictorWith(digest);
  const question = { operation, keys, input: 'content' in input ? NO_CONTENT : input };
  const right = shown(expect[stage]);
  if (predictor.answer(question, []) !== right) return undefined;
  const candidates = plainestFirst(writingSteps(predictor, question).flatMap(mistakesAt));
  const effects = predictor.effectsOf(question, [], candidates);
  const other = digest && predictorWith(digest.map((byte) => byte ^ 0xff));
  for (const [at, text] of texts.map(shown).entries()) {
    const [mistake] = effects.find(({ answer }) => answer === text)?.mistakes ?? [];
    // What any digest gives does not show the right one.
    const isOfDigest = mistake && other?.answerTo(question, [mistake]) !== text;
    if (text !== right && isOfDigest) return [mistake, at];
  }
  return undefined;
}

const NO_CONTENT = { content: { bytes: '' } };

/** The specification, but for the digest or the bytes of the ETag: those of the right answer are known, and contents may be large. */
function signedAs(context: Context, digest: Uint8Array | undefined): Context {
  if (!digest) return context;
  const known = (): Uint8Array => digest;
  const steps = { hmacSha1: known, actionDigest: known, etagBytes: known, partEtagBytes: known };
  return overriding(context, steps);
}

/** The steps from the first one on that writes bytes as text; all where there is none. */
function writingSteps(predictor: Predictor, question: Question): readonly StepName[] {
  const steps = predictor.stepsOf(question, []);
  return steps.slice(Math.max(0, steps.findIndex(writesBytes)));
}
