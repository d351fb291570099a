/**
 * What adapters send, as functions; `build/validators.ts` writes them beside the compiled harness.
 *
 * @module
 */
import type { Validator } from './fault.ts';

export const helloReply: Validator;
export const reply: Validator;
