/**
 * Completion: the words that may come next on a command line.
 *
 * @module
 */
import type { Option, Verb, Verbs } from './verb.ts';

/**
 * The candidates for the last word, which may be empty or incomplete.
 *
 * @param line the words after the name of the program
 */
export async function complete(line: readonly string[], verbs: Verbs): Promise<readonly string[]> {
  const words = withoutEquals(line);
  const begun = words.at(-1) ?? '';
  const [name = '', ...before] = words.slice(0, -1);
  const starting = (candidates: readonly string[]): readonly string[] =>
    candidates.filter((candidate) => candidate.startsWith(begun));
  if (words.length <= 1) return starting([...Object.keys(verbs), 'help', '--help', '--version']);
  if (name === 'help') return starting(Object.keys(verbs));
  const load = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  // The words after -- belong to another program.
  if (!load || before.includes('--')) return [];
  const verb = await load();
  const valued = optionNamed(verb, before.at(-1) ?? '');
  if (valued && valued.type !== 'flag') return starting((await valued.candidates?.()) ?? []);
  const [, option, value] = /^(--[^=]+)=(.*)$/.exec(begun) ?? [];
  if (option !== undefined && value !== undefined) {
    const values = (await optionNamed(verb, option)?.candidates?.()) ?? [];
    return starting(values.map((one) => `${option}=${one}`));
  }
  if (begun.startsWith('-')) return starting(optionsLeft(verb, before));
  const operands = Object.values(verb.operands ?? {});
  const offered = await Promise.all(operands.map(async (one) => (await one.candidates?.()) ?? []));
  return starting(offered.flat());
}

/** Removes the equals sign of `--level=o`, which Bash passes as a separate word. */
function withoutEquals(words: readonly string[]): readonly string[] {
  const isSign = (at: number): boolean => words[at] === '=' && /^--./.test(words[at - 1] ?? '');
  const kept = words.filter((_, at) => !isSign(at));
  return isSign(words.length - 1) ? [...kept, ''] : kept;
}

/** The option that a word names, without a value in the same word. */
function optionNamed({ options }: Verb, word: string): Option | undefined {
  if (word.startsWith('--')) {
    const name = word.slice(2);
    return Object.hasOwn(options, name) ? options[name] : undefined;
  }
  return Object.values(options).find(({ short }) => short !== undefined && word === `-${short}`);
}

/** The options that may still follow. */
function optionsLeft(
  { options, takesCommand }: Verb,
  before: readonly string[],
): readonly string[] {
  const left = Object.entries(options)
    .filter(([name, { repeatable }]) => {
      const isGiven = before.some((word) => word === `--${name}` || word.startsWith(`--${name}=`));
      return repeatable || !isGiven;
    })
    .map(([name]) => `--${name}`);
  return [...left, '--help', ...(takesCommand ? ['--'] : [])];
}
