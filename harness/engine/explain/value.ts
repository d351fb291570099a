/**
 * Explains a value that is no signature: an encoded text, a password, a policy or an ETag.
 *
 * @module
 */
import { isNamed } from '../../../reference/mistakes/index.ts';
import { resultStages } from '../../../reference/operations.ts';
import { diagnose, type FoundCause, isMistake } from '../diagnosis/diagnose.ts';
import { REFUSED } from '../diagnosis/observation.ts';
import { createPredictor } from '../diagnosis/reference-reply.ts';
import { quote } from '../excerpt.ts';
import { normalizeStage } from '../judge/comparison.ts';
import type { Dialect, Question } from '../protocol.ts';
import type { SuiteData } from '../suite-data.ts';
import type { Rule } from '../vector.ts';
import type { RequestExplanation } from './causes.ts';
import { type ExplainedRequest, formatExplanations, type Line } from './explanation.ts';

/** A value that an implementation gave as the result of an operation. */
export interface GivenValue {
  readonly question: Question;
  readonly dialect: Dialect;
  readonly value: string;
}

/** The most mistakes that together explain a value. */
const MISTAKES = 3;

/** There is one question only, so the vectors cannot help. */
const NO_DATA: SuiteData = {
  findSteps: () => undefined,
  findEffects: () => undefined,
  vectors: () => [],
};

/** Says whether a value is correct, and which mistakes give it if it is not. */
export function explainValue(
  { question, dialect, value }: GivenValue,
  rules: readonly Rule[],
): ExplainedRequest {
  const [stage = ''] = resultStages(question.operation);
  const predictor = createPredictor(dialect, NO_DATA);
  const right = predictor.predict(question, []);
  if (right === undefined || right === REFUSED)
    return explained('wrong', `wrong ${stage}: this input is refused, so no value is correct`);
  const actual = normalizeStage(question.operation, stage, value);
  if (actual === right) return explained('right', `correct ${stage}`);
  const seen = { id: stage, question, right, actual };
  const { causes, unexplained } = diagnose([seen], predictor, { mistakes: MISTAKES });
  const comparison: readonly Line[] = [
    { kind: 'row', text: `  expected  ${quote(right)}` },
    { kind: 'row', text: `  given     ${quote(actual)}` },
  ];
  const found = unexplained.length > 0 ? [] : listExplanations(causes);
  const wrong = formatExplanations(found, '', rules, `wrong ${stage}`);
  return wrong.length > 0
    ? { isRight: false, lines: [], verdict: [...wrong, ...comparison] }
    : explained('wrong', `wrong ${stage}: no known mistake explains it`, comparison);
}

function explained(
  kind: 'right' | 'wrong',
  text: string,
  comparison: readonly Line[] = [],
): ExplainedRequest {
  return { isRight: kind === 'right', lines: [], verdict: [{ kind, text }, ...comparison] };
}

/** The ways to explain the value: all causes together, or each of the mistakes that alone give it. */
function listExplanations(causes: readonly FoundCause[]): readonly RequestExplanation[] {
  const [cause, ...more] = causes;
  if (!cause) return [];
  if (more.length > 0) return [{ causes: causes.map(({ mistake }) => mistake), text: '' }];
  const all = [cause.mistake, ...cause.others];
  const named = all.filter((one) => isMistake(one) && isNamed(one));
  return (named.length > 0 ? named : all).map((one) => ({ causes: [one], text: '' }));
}
