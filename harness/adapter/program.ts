/**
 * Programs of this machine.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** Whether a program can be started in a folder: as a path, or by name on the PATH. */
export function isProgram(program: string, folder: string): boolean {
  if (isPath(program)) return existsSync(resolve(folder, program));
  const endings = process.platform === 'win32' ? ['.exe', '.com'] : [''];
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) =>
    endings.some((ending) => existsSync(join(folder, program + ending))),
  );
}

/** Whether a word names a program by its path: `./adapter` does, `adapter` is looked up on the PATH. */
function isPath(program: string): boolean {
  return process.platform === 'win32' ? /[/\\:]/.test(program) : program.includes('/');
}
