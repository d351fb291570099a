/**
 * A command line in which the user forgot `--` before the command.
 *
 * @module
 */
import { statSync } from 'node:fs';
import { UsageError } from '../engine/errors.ts';
import { compileGlob } from '../engine/select.ts';
import { shellWord } from '../render/commands.ts';
import { isInstalled } from '../respondents/adapter/manifest.ts';
import { type Operand, operandPlaces, type Verb } from './verb.ts';

/**
 * An error that shows the command line with `--` where it belongs; undefined if the words contain no command.
 *
 * Called only after the verb refused the words, so a word that the verb understands is never treated as a program.
 *
 * @param words the words after the verb
 */
export async function explainForgottenDashes(
  name: string,
  verb: Verb,
  words: readonly string[],
): Promise<UsageError | undefined> {
  const mayFollow = verb.usage.some((line) => line.includes('-- COMMAND'));
  if (!mayFollow || words.includes('--')) return undefined;
  const start = await findCommand(words, verb);
  if (start === undefined) return undefined;
  const corrected = [name, ...words.slice(0, start), '--', ...words.slice(start)];
  const why = verb.operands?.['ID']
    ? `${JSON.stringify(words[start])} is a program, not a vector; `
    : '';
  return new UsageError(
    `${why}write -- before the command: svc-conformance ${corrected.map(shellWord).join(' ')}`,
  );
}

/** The index of the first word that can only be a command. */
async function findCommand(
  words: readonly string[],
  { operands = {}, options }: Verb,
): Promise<number | undefined> {
  const places = operandPlaces(words, options);
  const { ID: id, ...own } = operands;
  if (id) {
    const ids = await listCandidates(id);
    return places.find((at) => isProgram(words[at] ?? '') && !matchesAny(words[at] ?? '', ids));
  }
  // The name of a task, such as `check`, comes first.
  const tasks = (await Promise.all(Object.values(own).map(listCandidates))).flat();
  const count = tasks.length === 0 ? 0 : 1;
  if (places.slice(0, count).some((at) => !tasks.includes(words[at] ?? ''))) return undefined;
  return places[count];
}

function isProgram(word: string): boolean {
  if (!isInstalled(word, '.')) return false;
  return !/[/\\]/.test(word) || statSync(word).isFile();
}

async function listCandidates({ candidates = () => [] }: Operand): Promise<readonly string[]> {
  return candidates();
}

function matchesAny(word: string, ids: readonly string[]): boolean {
  const glob = compileGlob(word);
  return ids.some((id) => glob.test(id));
}
