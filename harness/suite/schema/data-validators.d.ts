/**
 * Schemas of the files that people write and of the messages to adapters. `scripts/validators.ts` compiles them.
 *
 * @module
 */
import type { Validator } from './fault.ts';

export const rules: Validator;
export const vectorFile: Validator;
export const adapterManifest: Validator;
export const expectations: Validator;
export const matrix: Validator;
export const smoke: Validator;
export const kitInit: Validator;
export const hello: Validator;
export const question: Validator;
export const answersHeader: Validator;
export const answer: Validator;
export const reportHeader: Validator;
export const reportAdapter: Validator;
export const reportOutcome: Validator;
export const reportForged: Validator;
export const reportCause: Validator;
export const reportUnexplained: Validator;
export const reportFooter: Validator;
export const resultsSdk: Validator;
export const resultsVector: Validator;

/** `input.<operation>` and `expect.<operation>`. */
export const operations: Readonly<Record<string, Validator>>;
