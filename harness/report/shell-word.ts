/**
 * A word of a command line that people copy.
 *
 * @module
 */

/** Words that mean the same to every shell: nothing is expanded, and zsh takes a leading "=" for a command. */
const PLAIN = /^[\w./:,@%+-][\w./:=,@%+-]*$/;
const PLAIN_ON_WINDOWS = /^[\w./:\\,@+-][\w./:\\=,@+-]*$/;

/** The word as the shell of this machine takes it, in quotes where it needs them. */
export function shellWord(word: string): string {
  if (process.platform === 'win32')
    return PLAIN_ON_WINDOWS.test(word) ? word : quotedForWindows(word);
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Backslashes that a quote follows, or the end. It looks behind, as long runs would take quadratic time. */
const BEFORE_QUOTE = /(?<!\\)\\+(?="|$)/g;

/** As programs on Windows split their command line: backslashes count only before a quote. */
function quotedForWindows(word: string): string {
  return `"${word.replace(BEFORE_QUOTE, '$&$&').replaceAll('"', '\\"')}"`;
}
