/**
 * Schemas of the messages from adapters. `scripts/validators.ts` compiles them.
 *
 * @module
 */
import type { HelloReply } from '../../engine/protocol.ts';
import type { Validator } from './fault.ts';
import type { ReplyMessage } from './shapes.ts';

export const helloReply: Validator<HelloReply>;
export const reply: Validator<ReplyMessage & { readonly n: number }>;
