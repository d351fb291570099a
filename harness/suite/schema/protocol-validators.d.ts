/**
 * Schemas of the messages from adapters. `scripts/validators.ts` compiles them.
 *
 * @module
 */
import type { Validator } from './fault.ts';

export const helloReply: Validator;
export const reply: Validator;
