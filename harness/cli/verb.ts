/**
 * What a verb is: its operands and options in one table, from which parsing, help and completion come.
 *
 * @module
 */
import { parseArgs } from 'node:util';
import { UsageError } from '../engine/errors.ts';
import type { Parameters } from '../engine/report/report.ts';
import { findNearest } from '../engine/select.ts';
import type { Call } from './call.ts';

type Candidates = () => readonly string[] | Promise<readonly string[]>;

export interface Option {
  /** A number is below a million and may have a fraction; a count is a whole number of at least 1. */
  readonly type: 'flag' | 'text' | 'number' | 'count';
  /** What help calls the value, such as FILE. */
  readonly value?: string;
  /** A few words or sentences, without a full stop at the end. */
  readonly help: string;
  /** One letter, for `-j` as well as `--jobs`. */
  readonly short?: string;
  readonly repeatable?: boolean;
  /** Shown in help; `numberOption` yields it where it is a number. */
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
  /** Each way to write it, without the name of the program. */
  readonly usage: readonly string[];
  /** What it does, in one to three sentences. */
  readonly summary: string;
  /** Words that are no options, by their names in `usage`. */
  readonly operands?: Readonly<Record<string, Operand>>;
  readonly options: Options;
  /** Further paragraphs of help. */
  readonly notes?: readonly string[];
  /** Whether `-- COMMAND` may follow. */
  readonly takesCommand?: boolean;
  /** Writes options with an optional value so that `parseOptions` understands them. */
  readonly normalize?: (words: readonly string[]) => readonly string[];
  /** Does what the command line says and yields the exit code. */
  readonly run: (given: Parsed, call: Call) => Promise<number>;
}

export interface Parsed extends Parameters {
  readonly options: Options;
  /** What follows `--`; undefined without `--`. */
  readonly command?: readonly string[];
}

/** Reads what follows the verb; throws a `UsageError` that names the nearest option for one it does not know. */
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
    throw new UsageError('this verb starts no adapter; leave out -- COMMAND');
  }
  return given;
}

function parseWords(own: readonly string[], options: Options): Parameters {
  try {
    const { values, positionals } = parseArgs({
      args: [...own],
      options: Object.fromEntries(
        Object.entries(options).map(([name, { type, short, repeatable = false }]) => [
          name,
          {
            type: type === 'flag' ? 'boolean' : 'string',
            multiple: repeatable,
            ...(short !== undefined && { short }),
          },
        ]),
      ),
      allowPositionals: true,
    });
    return { values, positionals };
  } catch (error) {
    throw new UsageError(optionFault(error, own, Object.keys(options)));
  }
}

function optionFault(error: unknown, own: readonly string[], known: readonly string[]): string {
  const { code, message = '' } = error as { code?: string; message?: string };
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return message.split(/\.\s/)[0] ?? message;
  const option =
    own.find((word) => word.startsWith('-') && message.includes(`'${word.split('=')[0]}'`)) ?? '';
  const near = findNearest(option.replace(/^-+/, ''), known);
  const hint = near === undefined ? 'see --help' : `did you mean --${near}?`;
  return `${option.split('=')[0]} is not an option here; ${hint}`;
}

function refuseOtherNumbers(given: Parsed, name: string): void {
  const type = given.options[name]?.type;
  const text = textOption(given, name);
  if (text === undefined || (type !== 'number' && type !== 'count')) return;
  if (!/^[0-9]{1,6}(\.[0-9]+)?$/.test(text)) {
    throw new UsageError(
      `--${name} ${JSON.stringify(text)} is not a number below a million; write digits, such as --${name} 5`,
    );
  }
  if (type === 'count' && !(Number.isInteger(Number(text)) && Number(text) > 0)) {
    throw new UsageError(`--${name} ${Number(text)} is not a count; write 1 or more`);
  }
}

/** The text of an option that is given once. */
export function textOption({ values }: Parsed, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** The texts of a repeatable option. */
export function textsOption({ values }: Parsed, name: string): readonly string[] {
  return [values[name] ?? []].flat().filter((value) => typeof value === 'string');
}

/** The value of an option that is a number; without one its default, else `otherwise`. */
export function numberOption(given: Parsed, name: string, otherwise?: number): number {
  const value = textOption(given, name) ?? given.options[name]?.default ?? otherwise;
  if (value === undefined) throw new Error(`the option ${name} has no default`);
  return Number(value);
}
