/**
 * Calls that fail with an input error, and the check of that error.
 *
 * @module
 */
import { expect } from 'vitest';
import {
  type ActionParameters,
  actionSignature,
  authorization,
  type FileRequest,
  InputError,
  type InputErrorCode,
  type KeyPair,
  SPECIFICATION,
} from '../../reference/signing/index.ts';
import { PRIVATE_MARK } from './arbitraries.ts';

/** A call that signs with the given keys. */
export type Attempt = (keys: KeyPair) => unknown;

export function signsFile(request: FileRequest, change: Partial<FileRequest>): Attempt {
  return (keys) => authorization({ ...request, ...change }, keys, SPECIFICATION);
}

export function signsAction(signed: ActionParameters): Attempt {
  return ({ privateKey }) => actionSignature(signed, privateKey, SPECIFICATION);
}

/** Expects an error with this code, whose message has fault, rule and fix, but no private key. */
export function expectInputError(code: InputErrorCode, attempt: () => unknown): void {
  let error: unknown;
  try {
    attempt();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(InputError);
  const { message } = error as InputError;
  expect(error).toMatchObject({ name: 'InputError', code });
  expect(message).toMatch(/^[a-z][^\n]*(§|RFC )[^\n]*; [^\n]*[^.]$/);
  expect(message).not.toContain(PRIVATE_MARK);
}
