/**
 * Programs of this machine.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Whether a program can be started: as a path, or by name on the PATH. */
export function isProgram(program: string): boolean {
  if (program !== '' && dirname(program) !== '.') return existsSync(program);
  const endings = process.platform === 'win32' ? ['.exe', '.com'] : [''];
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) =>
    endings.some((ending) => existsSync(join(folder, program + ending))),
  );
}
