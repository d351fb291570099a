/**
 * Errors of the operating system in words.
 *
 * @module
 */

import { systemCode } from './values.ts';

const MEANINGS: Readonly<Record<string, string>> = {
  E2BIG: 'its arguments are too long',
  EACCES: 'permission denied',
  EEXIST: 'something else has this name',
  EISDIR: 'it is a folder',
  ELOOP: 'its links form a circle',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
  ENOEXEC: 'the system cannot execute its format',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'it is not a folder, or its path leads through a file',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};

/** Why the system refused, as a clause; for other errors with a code the code, else the message. */
export function describeSystemError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = systemCode(error);
  if (code === undefined) return error.message;
  return Object.hasOwn(MEANINGS, code) ? (MEANINGS[code] ?? code) : code;
}
