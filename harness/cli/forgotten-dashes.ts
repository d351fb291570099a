/**
 * The error for a command without `--` before it.
 *
 * @module
 */
import { statSync } from 'node:fs';
import { UsageError } from '../engine/errors.ts';
import { compileGlob } from '../engine/select.ts';
import { commandLine } from '../render/commands.ts';
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
  { usage, operands = {}, options }: Verb,
  words: readonly string[],
): Promise<UsageError | undefined> {
  const mayFollow = usage.some((line) => line.includes('-- COMMAND'));
  if (!mayFollow || words.includes('--')) return undefined;
  const operandsGiven = operandPlaces(words, options).map((at) => ({ at, word: words[at] ?? '' }));
  const withDashes = (at: number): string =>
    `write -- before the command: ${commandLine(name, [...words.slice(0, at), '--', ...words.slice(at)])}`;
  const { ID: id, ...tasks } = operands;
  if (!id) {
    const command = await findAfterTask(operandsGiven, Object.values(tasks));
    return command && new UsageError(withDashes(command.at));
  }
  const ids = await listCandidates(id);
  const foreign = operandsGiven.filter(({ word }) => !matchesAny(word, ids));
  const program = foreign.find(({ word }) => isProgram(word));
  if (program) {
    const quoted = JSON.stringify(program.word);
    return new UsageError(`${quoted} is a program, not a vector; ${withDashes(program.at)}`);
  }
  // The user may have left out the interpreter of an adapter.
  const file = foreign.find(({ word }) => isFile(word))?.word;
  if (file === undefined) return undefined;
  return new UsageError(
    `${JSON.stringify(file)} is a file, not a vector; write -- and the command that starts your adapter: ${commandLine(name, ['--', 'COMMAND', file])}`,
  );
}

interface GivenOperand {
  /** Its index among the words. */
  readonly at: number;
  readonly word: string;
}

/** The first operand after the name of a task, such as `check`, if the verb has tasks. */
async function findAfterTask(
  given: readonly GivenOperand[],
  operands: readonly Operand[],
): Promise<GivenOperand | undefined> {
  const tasks = (await Promise.all(operands.map(listCandidates))).flat();
  if (tasks.length === 0) return given[0];
  const [task, command] = given;
  return task && tasks.includes(task.word) ? command : undefined;
}

async function listCandidates({ candidates = () => [] }: Operand): Promise<readonly string[]> {
  return candidates();
}

function matchesAny(word: string, ids: readonly string[]): boolean {
  const glob = compileGlob(word);
  return ids.some((id) => glob.test(id));
}

const isFile = (word: string): boolean =>
  statSync(word, { throwIfNoEntry: false })?.isFile() === true;

function isProgram(word: string): boolean {
  return isInstalled(word, '.') && (!/[/\\]/.test(word) || isFile(word));
}
