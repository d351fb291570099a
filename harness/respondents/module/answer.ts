/**
 * Calls a function of a signer with one question, and converts what it returns or throws to a reply.
 *
 * @module
 */

import type { QuestionMessage } from '../../../reference/messages.ts';
import { OPERATIONS, resultStages } from '../../../reference/operations.ts';
import { type AnyFunction, hasMembers, isFunction, isList } from '../../../reference/values.ts';
import type { Dialect, Reply } from '../../engine/protocol.ts';
import type { Stages } from '../../engine/vector.ts';

/** The replies that a function can give. Only processes and connections cause the other kinds. */
export type SignerReply = Extract<
  Reply,
  { readonly kind: 'result' | 'refused' | 'unsupported' | 'error' }
>;

/**
 * Lists the operations that a signer has a function for, in the order of the protocol; inherited methods count.
 *
 * @param signer a `Signer`, or an object with other members too
 */
export function listOperations(signer: object): readonly string[] {
  return Object.keys(OPERATIONS).filter((name) => findFunction(signer, name) !== undefined);
}

/** Calls the function of the question's operation. Never throws, and waits without a limit. */
export async function callSigner(
  signer: object,
  { operation, keys, input }: Omit<QuestionMessage, 'n'>,
  dialect: Dialect,
): Promise<SignerReply> {
  const call = findFunction(signer, operation);
  if (!call) return { kind: 'unsupported' };
  try {
    // Copies, so that a function that changes its input does not change the next question.
    const returned = await call.call(signer, structuredClone(input), { ...keys }, { dialect });
    return toReply(operation, returned);
  } catch (error) {
    return toErrorReply(error);
  }
}

/** Finds a function under the operation's own name, or under its camel-case name. */
function findFunction(signer: object, operation: string): AnyFunction | undefined {
  const camelCase = operation.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const read = (name: string): unknown => Reflect.get(signer, name);
  return [read(operation), read(camelCase)].find(isFunction);
}

function toReply(operation: string, returned: unknown): SignerReply {
  const results = resultStages(operation);
  const [only = ''] = results;
  if (typeof returned === 'string' && results.length === 1) {
    return { kind: 'result', result: { [only]: returned }, trace: {} };
  }
  if (!hasMembers(returned) || isList(returned)) {
    const due =
      results.length === 1
        ? `the text ${only}, or an object with it`
        : `an object with ${results.join(' and ')}`;
    return toError(`${operation} returned ${describeType(returned)}; return ${due}`);
  }
  const members: Stages = { ...returned };
  const { unsupported } = members;
  if (unsupported === true) return { kind: 'unsupported' };
  if (isReason(unsupported)) return { kind: 'unsupported', message: unsupported };
  return toResult(operation, members, results);
}

function toResult(operation: string, members: Stages, results: readonly string[]): SignerReply {
  const stages = OPERATIONS[operation]?.stages ?? [];
  const unknown = Object.keys(members).find((name) => !stages.includes(name));
  if (unknown !== undefined) {
    return toError(
      `${operation} returned the member ${JSON.stringify(unknown)}; it has ${stages.join(', ')}`,
    );
  }
  const missing = results.find((name) => members[name] === undefined);
  if (missing !== undefined) return toError(`${operation} returned no ${missing}`);
  const select = (isResult: boolean): Stages =>
    Object.fromEntries(
      Object.entries(members).filter(
        ([name, value]) => value !== undefined && results.includes(name) === isResult,
      ),
    );
  return { kind: 'result', result: select(true), trace: select(false) };
}

function toErrorReply(error: unknown): SignerReply {
  const { reason, unsupported } = hasMembers(error) ? error : {};
  if (isReason(unsupported)) return { kind: 'unsupported', message: unsupported };
  if (error instanceof Error && isReason(reason)) {
    return { kind: 'refused', reason, message: error.message };
  }
  return toError(formatError(error));
}

function toError(message: string): SignerReply {
  return { kind: 'error', message };
}

function isReason(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function describeType(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return isList(value) ? 'a list' : `a ${typeof value}`;
}

/** Formats an error, or any other value that was thrown, as one line. */
export function formatError(error: unknown): string {
  if (error instanceof Error) return `${error.name}: ${error.message}`;
  return `it threw ${typeof error === 'string' ? JSON.stringify(error) : describeType(error)}`;
}
