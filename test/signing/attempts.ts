/**
 * Signings that end in an input error.
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

/** A signing, with keys that are still to be named. */
export type Attempt = (keys: KeyPair) => unknown;

export function signsFile(request: FileRequest, change: Partial<FileRequest>): Attempt {
  return (keys) => authorization({ ...request, ...change }, keys, SPECIFICATION);
}

export function signsAction(signed: ActionParameters): Attempt {
  return ({ privateKey }) => actionSignature(signed, privateKey, SPECIFICATION);
}

/** An error with this code, whose message says what, rule and way out, and no private key. */
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
