/**
 * Temporary folders that are removed after use.
 *
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

function createFolder(after: typeof afterAll | typeof onTestFinished): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-test-'));
  after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A folder that is removed when the current test ends; not for concurrent tests. */
export const folderOfTest = (): string => createFolder(onTestFinished);

/** A folder that is removed after all tests of the file. */
export const folderOfFile = (): string => createFolder(afterAll);
