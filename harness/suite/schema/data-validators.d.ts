/**
 * Schemas of the files that people write and of the messages to adapters. `scripts/validators.ts` compiles them.
 *
 * @module
 */
import type {
  AdapterLine,
  CauseLine,
  FooterLine,
  ForgedLine,
  HeaderLine,
  OutcomeLine,
  UnexplainedLine,
} from '../../engine/report/lines.ts';
import type { SdkResults, VectorResult } from '../../engine/report/sdk-results.ts';
import type { Rule } from '../../engine/vector.ts';
import type { Validator } from './fault.ts';
import type {
  AnswerMessage,
  AnswersHeader,
  Beginning,
  Entry,
  Manifest,
  WrittenFile,
} from './shapes.ts';

export const rules: Validator<{ readonly rules: readonly Rule[] }>;
export const vectorFile: Validator<WrittenFile>;
export const adapterManifest: Validator<Manifest>;
export const expectations: Validator<{ readonly expectations: readonly Entry[] }>;
export const matrix: Validator;
export const smoke: Validator<{ readonly vectors: readonly string[] }>;
export const kitInit: Validator<Beginning>;
export const hello: Validator;
export const question: Validator;
export const answersHeader: Validator<AnswersHeader>;
export const answer: Validator<AnswerMessage>;
export const reportHeader: Validator<HeaderLine>;
export const reportAdapter: Validator<AdapterLine>;
export const reportOutcome: Validator<OutcomeLine>;
export const reportForged: Validator<ForgedLine>;
export const reportCause: Validator<CauseLine>;
export const reportUnexplained: Validator<UnexplainedLine>;
export const reportFooter: Validator<FooterLine>;
export const resultsSdk: Validator<Omit<SdkResults, 'results'>>;
export const resultsVector: Validator<VectorResult>;

/** `input.<operation>` and `expect.<operation>`. */
export const operations: Readonly<Record<string, Validator>>;
