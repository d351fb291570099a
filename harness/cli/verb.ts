/**
 * The type of a verb: one table of its operands, options and exit codes, which parsing, help and completion use.
 *
 * @module
 */
import { parseArgs } from 'node:util';
import { findNearest } from '../../reference/nearest.ts';
import { UsageError } from '../engine/errors.ts';
import type { Parameters } from '../engine/report/report.ts';
import type { Call } from './call.ts';

/** The meaning of each exit code, without a full stop at the end. */
export type ExitCodes = Readonly<Partial<Record<0 | 1 | 2 | 3 | 4 | 5 | 6, string>>>;

/** The exit codes of every verb. The table of a verb may describe them more precisely. */
export const COMMON_EXIT_CODES: ExitCodes = {
  0: 'done',
  2: 'usage: an unknown option, a missing operand, a file that cannot be read',
  6: 'the harness failed, or standard output could not be written',
};

/** The verbs that select vectors and judge nothing. */
export const SELECTING_EXIT_CODES: ExitCodes = {
  2: 'usage: an unknown option, or a pattern that matches nothing',
  3: 'a file of --vectors is invalid',
};

/** The verbs that judge answers. */
export const VERDICT_EXIT_CODES: ExitCodes = {
  0: 'all as expected',
  1: 'conformance failures, or stale expectations',
  2: 'usage: an unknown option, a pattern that matches nothing, no vectors',
  3: 'a file of vectors or of expectations is invalid',
  5: 'aborted, or some questions were not asked or not answered: vectors, forged requests, questions on fresh data; the report shows the results until then',
  6: 'the harness failed, or a report or standard output could not be written; the report shows the results until then',
};

type Candidates = () => readonly string[] | Promise<readonly string[]>;

export interface Option {
  /** A number is below a million and may have a fraction; a count is a whole number from 1 to below a billion. The default is a text. */
  readonly type?: 'flag' | 'number' | 'count';
  /** What help calls the value, such as FILE. */
  readonly value?: string;
  /** The letter of the short form, such as `j` for `-j`. */
  readonly short?: string;
  readonly repeatable?: boolean;
  /** A few words or sentences, without a full stop at the end. */
  readonly help: string;
  /** The default that help shows, and that `textOrDefault` and `numberOption` return. */
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
  const { values, positionals, tokens } = splitWords(own, options);
  for (const token of tokens) if (token.kind === 'option') checkOption(token, options);
  const command = dashes < 0 ? undefined : words.slice(dashes + 1);
  const given: Parsed = { values, positionals, options, ...(command && { command }) };
  for (const name of Object.keys(given.values)) refuseOtherNumbers(given, name);
  if (command && !takesCommand) {
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

/** The text of an option, or its default. */
export function textOrDefault(given: Parsed, name: string): string {
  const value = textOption(given, name) ?? given.options[name]?.default;
  if (value === undefined) throw new Error(`the option ${name} is not given and has no default`);
  return String(value);
}

/** The value of a numeric option, or its default. */
export const numberOption = (given: Parsed, name: string): number =>
  Number(textOrDefault(given, name));

export const flagOption = ({ values }: Parsed, name: string): boolean => values[name] === true;

/** The index of each operand among the words; invalid options are skipped. */
export function operandPlaces(words: readonly string[], options: Options): readonly number[] {
  return splitWords(words, options).tokens.flatMap(({ kind, index }) =>
    kind === 'positional' ? [index] : [],
  );
}

/** Calls `parseArgs` without `strict`, so that unknown options get our messages instead of Node's. */
function splitWords(words: readonly string[], options: Options) {
  return parseArgs({
    args: [...words],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { type, short, repeatable = false }]) => [
        name,
        {
          type: type === 'flag' ? 'boolean' : 'string',
          multiple: repeatable,
          ...(short !== undefined && { short }),
        } as const,
      ]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
}

type OptionToken = Extract<ReturnType<typeof splitWords>['tokens'][number], { kind: 'option' }>;

/** @throws UsageError that names the wrong option */
function checkOption({ name, rawName, value, inlineValue }: OptionToken, options: Options): void {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!option) throw new UsageError(describeUnknown(rawName, Object.keys(options)));
  if (option.type === 'flag') {
    if (value === undefined) return;
    throw new UsageError(`${rawName} takes no value; write only ${rawName}`);
  }
  if (value === undefined) {
    throw new UsageError(`${rawName} needs a value; write ${rawName} ${placeholder(option)}`);
  }
  if (inlineValue || !/^-./.test(value)) return;
  throw new UsageError(
    `${rawName} needs a value, but an option follows it; write ${rawName} ${placeholder(option)}, or --${name}=VALUE for a value that starts with a hyphen`,
  );
}

function placeholder({ value = 'VALUE' }: Option): string {
  return value.replace(/^\[(.*)\]$/, '$1');
}

function describeUnknown(written: string, known: readonly string[]): string {
  const near = findNearest(written.replace(/^-+/, ''), known);
  const hint = near === undefined ? 'see --help' : `did you mean --${near}?`;
  return `${written} is not an option of this verb; ${hint}`;
}
