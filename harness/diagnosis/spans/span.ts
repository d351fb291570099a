/**
 * A place where a shown stage differs from the expected one, and the step of the specification that makes it.
 *
 * @module
 */
import type { Steps } from '../../../reference/signing/specification.ts';

export interface TextSpan {
  /** Where in the stage, such as "line 3 (Content-Type)" or "parameter Name". */
  readonly part: string;
  /** The step of `reference/signing/steps.ts` that makes this part. */
  readonly step: keyof Steps;
  /** The id of the rule in `vectors/rules.yaml`. */
  readonly rule: string;
  /** Empty where nothing is due here. */
  readonly expected: string;
  /** Empty where what is due is missing. */
  readonly actual: string;
}

export interface Span extends TextSpan {
  /** The stage that it is a span of. */
  readonly stage: string;
}

/** A step and the rule that it follows. */
export type Attribution = Pick<TextSpan, 'step' | 'rule'>;
