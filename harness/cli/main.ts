/**
 * `svc-conformance` within a process: runs a verb and returns its exit code.
 *
 * @module
 */
import { statSync } from 'node:fs';
import { hintNearest } from '../../reference/nearest.ts';
import { EXIT, UsageError } from '../engine/errors.ts';
import { compileGlob } from '../engine/select.ts';
import { commandLine } from '../render/commands.ts';
import { isInstalled } from '../respondents/adapter/manifest.ts';
import { packageVersion } from '../suite/package-root.ts';
import { Call, type Io } from './call.ts';
import { type Operand, operandPlaces, parseOptions, type Verb } from './verb.ts';
import { VERBS } from './verbs.ts';

/** Runs a command line and returns its exit code. Calls share no state, so several may run at the same time. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const call = new Call(io);
  const abandon = (error: unknown): number => call.abandon(error);
  io.onUncaught(abandon);
  return call.end(await runCommand(argv, call).catch(abandon));
}

async function runCommand(
  [name = '--help', ...parameters]: readonly string[],
  call: Call,
): Promise<number> {
  const dashes = parameters.indexOf('--');
  const beforeDashes = [name, ...(dashes < 0 ? parameters : parameters.slice(0, dashes))];
  if (name === 'help' || beforeDashes.includes('--help') || beforeDashes.includes('-h')) {
    call.print(await helpAbout(name === 'help' ? parameters[0] : name));
    return EXIT.asExpected;
  }
  if (name === '--version' || name === '-V') {
    call.print(`${packageVersion()}\n`);
    return EXIT.asExpected;
  }
  const verb = await loadVerb(name);
  refuseMissingFolder();
  try {
    return await verb.run(parseOptions(verb, parameters), call);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw (await explainForgottenDashes(name, verb, parameters)) ?? error;
  }
}

/** @throws UsageError that names the nearest verb for an unknown one */
async function loadVerb(name: string): Promise<Verb> {
  const load = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (load) return load();
  if (name.startsWith('-')) {
    throw new UsageError(
      `${JSON.stringify(name)} is neither --help (-h) nor --version (-V); options follow the verb, as in svc-conformance run --smoke`,
    );
  }
  const names = Object.keys(VERBS);
  const hint = hintNearest(name, [...names, 'help'], `the verbs are ${names.join(', ')}`);
  throw new UsageError(`${JSON.stringify(name)} is not a verb; ${hint}`);
}

/** The help of one verb or, without a name, the overview of all verbs. */
async function helpAbout(name: string | undefined): Promise<string> {
  const { overview, verbHelp } = await import('./help.ts');
  if (name !== undefined && name !== 'help' && !name.startsWith('-'))
    return verbHelp(await loadVerb(name));
  return overview(await Promise.all(Object.values(VERBS).map((each) => each())));
}

/** Relative paths cannot be resolved if the working directory was deleted. */
function refuseMissingFolder(): void {
  try {
    process.cwd();
  } catch {
    throw new UsageError('the working directory was deleted; change to another one');
  }
}

/**
 * An error that shows the command line with `--` where it belongs; undefined if the words contain no command.
 *
 * Called only after the verb refused the words, so a word that the verb understands is never treated as a program.
 *
 * @param words the words after the verb
 */
async function explainForgottenDashes(
  name: string,
  verb: Verb,
  words: readonly string[],
): Promise<UsageError | undefined> {
  const mayFollow = verb.usage.some((line) => line.includes('-- COMMAND'));
  if (!mayFollow || words.includes('--')) return undefined;
  const start = await findCommand(words, verb);
  if (start === undefined) return explainFile(name, verb, words);
  const corrected = [...words.slice(0, start), '--', ...words.slice(start)];
  const why = verb.operands?.['ID']
    ? `${JSON.stringify(words[start])} is a program, not a vector; `
    : '';
  return new UsageError(`${why}write -- before the command: ${commandLine(name, corrected)}`);
}

/** An error for a file among the ids: the user may have left out the interpreter of an adapter. */
async function explainFile(
  name: string,
  { operands = {}, options }: Verb,
  words: readonly string[],
): Promise<UsageError | undefined> {
  const { ID: id } = operands;
  if (!id) return undefined;
  const ids = await listCandidates(id);
  const isFile = (word: string): boolean =>
    statSync(word, { throwIfNoEntry: false })?.isFile() === true && !matchesAny(word, ids);
  const file = operandPlaces(words, options)
    .map((at) => words[at] ?? '')
    .find(isFile);
  if (file === undefined) return undefined;
  return new UsageError(
    `${JSON.stringify(file)} is a file, not a vector; write -- and the command that starts your adapter: ${commandLine(name, ['--', 'COMMAND', file])}`,
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
