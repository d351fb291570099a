/**
 * The seed of everything random in the tests: the same on every machine, unless SVC_TEST_SEED names another.
 *
 * Vitest's configuration prints it; with it, a failing run can be repeated.
 *
 * @module
 */
import { createCipheriv } from 'node:crypto';

export const SEED: number = Number(process.env['SVC_TEST_SEED'] ?? 642_759);

/** Bytes without any order, always the same for one name. */
export function seededBytes(size: number, name = ''): Buffer {
  const key = Buffer.from(`${SEED} ${name}`.padEnd(16).slice(0, 16));
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size));
}
