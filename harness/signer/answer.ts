/**
 * A function of a signer asked one question, and what it gave in the words of the protocol.
 *
 * @module
 */
import type { Dialect, Question, Reply } from '../adapter/messages.ts';
import { OPERATIONS, resultStages } from '../suite/operations.ts';
import type { Stages } from '../suite/vector.ts';
import type { Signer } from './signer.ts';

/** What can become of a question where nothing but the function itself can go wrong. */
export type Answered = Extract<
  Reply,
  { readonly kind: 'result' | 'refused' | 'unsupported' | 'error' }
>;

type Asked = (input: unknown, keys: unknown, circumstances: unknown) => unknown;

/** The operations that a signer has, inherited methods too, in the order of the protocol. */
export function operationsOf(signer: Signer): readonly string[] {
  return Object.keys(OPERATIONS).filter((name) => functionOf(signer, name) !== undefined);
}

/** Asks; never throws, and waits for as long as the function takes. */
export async function answerOf(
  signer: Signer,
  { operation, keys, input }: Question,
  dialect: Dialect,
): Promise<Answered> {
  const asked = functionOf(signer, operation);
  if (!asked) return { kind: 'unsupported' };
  try {
    // Copies: what a function does to its input must not reach the next question.
    const given = await asked.call(signer, structuredClone(input), { ...keys }, { dialect });
    return answerIn(operation, given);
  } catch (error) {
    return failure(error);
  }
}

/** Under the operation's own name, or in camel case. */
function functionOf(signer: Signer, operation: string): Asked | undefined {
  const camelCase = operation.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const holder = signer as Readonly<Record<string, unknown>>;
  const found = [holder[operation], holder[camelCase]].find((own) => typeof own === 'function');
  return found as Asked | undefined;
}

function answerIn(operation: string, given: unknown): Answered {
  const results = resultStages(operation);
  const [only = ''] = results;
  if (typeof given === 'string' && results.length === 1) {
    return { kind: 'result', result: { [only]: given }, trace: {} };
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const due = results.length === 1 ? `the text ${only}, or an object with it` : 'an object with';
    const members = results.length === 1 ? '' : ` ${results.join(' and ')}`;
    return broken(`${operation} returned ${kindOf(given)}; return ${due}${members}`);
  }
  const members = { ...given } as Stages;
  const { unsupported } = members;
  if (unsupported === true) return { kind: 'unsupported' };
  if (isReason(unsupported)) return { kind: 'unsupported', message: unsupported };
  const stages = OPERATIONS[operation]?.stages ?? [];
  const foreign = Object.keys(members).find((name) => !stages.includes(name));
  if (foreign !== undefined) {
    return broken(
      `${operation} returned the member ${JSON.stringify(foreign)}; it has ${stages.join(', ')}`,
    );
  }
  const missing = results.find((name) => members[name] === undefined);
  if (missing !== undefined) return broken(`${operation} returned no ${missing}`);
  const chosen = (isResult: boolean): Stages =>
    Object.fromEntries(
      Object.entries(members).filter(
        ([name, value]) => value !== undefined && results.includes(name) === isResult,
      ),
    );
  return { kind: 'result', result: chosen(true), trace: chosen(false) };
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

function broken(message: string): Answered {
  return { kind: 'error', message };
}

function failure(error: unknown): Answered {
  const { reason, unsupported } = Object(error) as Readonly<Record<string, unknown>>;
  if (isReason(unsupported)) return { kind: 'unsupported', message: unsupported };
  if (error instanceof Error && isReason(reason)) {
    return { kind: 'refused', reason, message: error.message };
  }
  return broken(errorText(error));
}

function isReason(given: unknown): given is string {
  return typeof given === 'string' && given !== '';
}

/** An error in one line, whatever was thrown. */
export function errorText(error: unknown): string {
  if (error instanceof Error) return `${error.name}: ${error.message}`;
  return `it threw ${typeof error === 'string' ? JSON.stringify(error) : kindOf(error)}`;
}
