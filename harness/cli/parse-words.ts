/**
 * The options and operands among the words of a command line.
 *
 * @module
 */
import { parseArgs } from 'node:util';
import { UsageError } from '../engine/errors.ts';
import type { Parameters } from '../engine/report/report.ts';
import { findNearest } from '../engine/select.ts';

/** How an option is written. */
export interface OptionSyntax {
  /** A number is below a million and may have a fraction; a count is a whole number of at least 1. */
  readonly type: 'flag' | 'text' | 'number' | 'count';
  /** What help calls the value, such as FILE. */
  readonly value?: string;
  /** One letter, for `-j` as well as `--jobs`. */
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

/** The place of each operand among the words; wrong options are skipped. */
export function operandPlaces(words: readonly string[], options: Options): readonly number[] {
  return splitWords(words, options).tokens.flatMap(({ kind, index }) =>
    kind === 'positional' ? [index] : [],
  );
}

/** Not strict: the messages of a strict `parseArgs` would be those of Node. */
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
  /** As it is written: `--jobs` or `-j`. */
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
    throw new UsageError(`${rawName} takes no value; write ${rawName} alone`);
  }
  if (value === undefined) {
    throw new UsageError(`${rawName} needs a value; write ${rawName} ${placeholder(option)}`);
  }
  if (inlineValue || !/^-./.test(value)) return;
  throw new UsageError(
    `${rawName} needs a value, and an option follows; write ${rawName} ${placeholder(option)}, or --${name}=VALUE for a value that starts with a hyphen`,
  );
}

function placeholder({ value = 'VALUE' }: OptionSyntax): string {
  return value.replace(/^\[(.*)\]$/, '$1');
}

function describeUnknown(written: string, known: readonly string[]): string {
  const near = findNearest(written.replace(/^-+/, ''), known);
  const hint = near === undefined ? 'see --help' : `did you mean --${near}?`;
  return `${written} is not an option here; ${hint}`;
}
