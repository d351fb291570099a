/**
 * A word of a command line that people copy.
 *
 * @module
 */

/** The word as the shell of this machine takes it, in quotes where it needs them. */
export function shellWord(word: string): string {
  if (process.platform === 'win32') return /^[\w./:\\=,@+-]+$/.test(word) ? word : `"${word}"`;
  return /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
