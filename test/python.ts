/**
 * Python, for tests that need it.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';

export const PYTHON: string = process.platform === 'win32' ? 'python' : 'python3';

export const hasPython: boolean = spawnSync(PYTHON, ['--version']).status === 0;

/** A note for test names if Python is missing. */
export const withoutPython: string = hasPython ? '' : ` (not run, because ${PYTHON} was not found)`;
