/**
 * The options and operands among the words of a command line.
 *
 * @module
 */
import { parseArgs } from 'node:util';
import { UsageError } from '../engine/errors.ts';
import type { Parameters } from '../engine/report/report.ts';
import { findNearest } from '../engine/select.ts';

/** The syntax of an option. */
export interface OptionSyntax {
  /** A number is below a million and may have a fraction; a count is a whole number from 1 to below a billion. */
  readonly type: 'flag' | 'text' | 'number' | 'count';
  /** What help calls the value, such as FILE. */
  readonly value?: string;
  /** The letter of the short form, such as `j` for `-j`. */
  readonly short?: string;
  readonly repeatable?: boolean;
}

type Options = Readonly<Record<string, OptionSyntax>>;

/** @throws UsageError that names the wrong option */
export function parseWords(words: readonly string[], options: Options): Parameters {
  const { values, positionals, tokens } = splitWords(words, options);
  for (const token of tokens) if (token.kind === 'option') checkOption(token, options);
  return { values, positionals };
}

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

interface OptionToken {
  readonly name: string;
  /** The option as written: `--jobs` or `-j`. */
  readonly rawName: string;
  readonly value?: string | undefined;
  /** Whether the value is in the same word. */
  readonly inlineValue?: boolean | undefined;
}

function checkOption(token: OptionToken, options: Options): void {
  const { name, rawName, value, inlineValue = false } = token;
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

function placeholder({ value = 'VALUE' }: OptionSyntax): string {
  return value.replace(/^\[(.*)\]$/, '$1');
}

function describeUnknown(written: string, known: readonly string[]): string {
  const near = findNearest(written.replace(/^-+/, ''), known);
  const hint = near === undefined ? 'see --help' : `did you mean --${near}?`;
  return `${written} is not an option of this verb; ${hint}`;
}
