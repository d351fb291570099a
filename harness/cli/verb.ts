/**
 * The type of a verb: one table of its operands and options, which parsing, help and completion use.
 *
 * @module
 */
import { UsageError } from '../engine/errors.ts';
import type { Parameters } from '../engine/report/report.ts';
import type { Call } from './call.ts';
import type { ExitCodes } from './exit-codes.ts';
import { type OptionSyntax, parseWords } from './parse-words.ts';

type Candidates = () => readonly string[] | Promise<readonly string[]>;

export interface Option extends OptionSyntax {
  /** A few words or sentences, without a full stop at the end. */
  readonly help: string;
  /** The default that help shows and `numberOption` returns. */
  readonly default?: string | number;
  /** The heading in help, if it is not "Options". */
  readonly group?: string;
  /** The values that completion offers. */
  readonly candidates?: Candidates;
}

export type Options = Readonly<Record<string, Option>>;

export interface Operand {
  readonly help: string;
  readonly group?: string;
  readonly candidates?: Candidates;
}

export interface Verb {
  /** Each form of the command line, without the name of the program. */
  readonly usage: readonly string[];
  /** What it does, in one to three sentences. */
  readonly summary: string;
  /** An example command line, without the name of the program. */
  readonly example: string;
  /** Its exit codes, besides those that all verbs share. */
  readonly exitCodes: ExitCodes;
  /** The operands by their names in `usage`. */
  readonly operands?: Readonly<Record<string, Operand>>;
  readonly options: Options;
  /** Further paragraphs of help. */
  readonly notes?: readonly string[];
  /** Whether `-- COMMAND` may follow. */
  readonly takesCommand?: boolean;
  /** Writes options with an optional value so that `parseOptions` understands them. */
  readonly normalize?: (words: readonly string[]) => readonly string[];
  /** Runs the command line and returns the exit code. */
  readonly run: (given: Parsed, call: Call) => Promise<number>;
}

/** The verbs by name, each loaded when it is needed. */
export type Verbs = Readonly<Record<string, () => Promise<Verb>>>;

export interface Parsed extends Parameters {
  readonly options: Options;
  /** The words after `--`; undefined without `--`. */
  readonly command?: readonly string[];
}

/** Parses the words after the verb. @throws UsageError that names the nearest option for an unknown one */
export function parseOptions(verb: Verb, parameters: readonly string[]): Parsed {
  const { options, normalize = (words) => words, takesCommand = false } = verb;
  const words = normalize(parameters);
  const dashes = words.indexOf('--');
  const own = dashes < 0 ? words : words.slice(0, dashes);
  const given: Parsed = {
    ...parseWords(own, options),
    options,
    ...(dashes >= 0 && { command: words.slice(dashes + 1) }),
  };
  for (const name of Object.keys(given.values)) refuseOtherNumbers(given, name);
  if (given.command && !takesCommand) {
    throw new UsageError('this verb does not start an adapter; leave out -- COMMAND');
  }
  return given;
}

/** Numbers are seconds, of which a timer takes no more; a count may be that of a long fuzz run. */
const NUMBERS = {
  number: { pattern: /^[0-9]{1,6}(\.[0-9]+)?$/, limit: 'a million' },
  count: { pattern: /^[0-9]{1,9}(\.[0-9]+)?$/, limit: 'a billion' },
} as const;

function refuseOtherNumbers(given: Parsed, name: string): void {
  const type = given.options[name]?.type;
  const text = textOption(given, name);
  if (text === undefined || (type !== 'number' && type !== 'count')) return;
  const { pattern, limit } = NUMBERS[type];
  if (!pattern.test(text)) {
    throw new UsageError(
      `--${name} ${JSON.stringify(text)} is not a number below ${limit}; write digits, such as --${name} 5`,
    );
  }
  if (type === 'count' && !(Number.isInteger(Number(text)) && Number(text) > 0)) {
    throw new UsageError(`--${name} ${Number(text)} is not a count; write 1 or more`);
  }
}

/** The text of an option that may appear once. */
export function textOption({ values }: Parsed, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** The texts of a repeatable option. */
export function textsOption({ values }: Parsed, name: string): readonly string[] {
  return [values[name] ?? []].flat().filter((value) => typeof value === 'string');
}

/** The value of a numeric option, or its default, or `otherwise`. */
export function numberOption(given: Parsed, name: string, otherwise?: number): number {
  const value = textOption(given, name) ?? given.options[name]?.default ?? otherwise;
  if (value === undefined) throw new Error(`the option ${name} has no default`);
  return Number(value);
}
