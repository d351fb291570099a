/**
 * What every verb has: its options, read the same way.
 *
 * @module
 */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from '../errors.ts';
import type { Parameters } from '../report/reporter.ts';
import { bundledSuite } from '../suite/bundle.ts';
import { nearest, type Selection } from '../suite/select.ts';
import type { Suite } from '../suite/vector.ts';

/** Does what its parameters say and yields the exit code. */
export type Verb = (parameters: readonly string[]) => Promise<number>;

export type Options = NonNullable<ParseArgsConfig['options']>;

export interface Parsed extends Parameters {
  /** What stands after `--`; nothing where there is no `--`. */
  readonly command?: readonly string[];
}

/** Refuses a command where a verb starts none. */
export function refuseCommand({ command }: Parsed): void {
  if (command) throw new UsageError('this verb starts no adapter; leave out -- COMMAND');
}

/** Options that narrow down which vectors are meant. */
export const SELECTION: Options = {
  rule: { type: 'string', multiple: true },
  level: { type: 'string', multiple: true },
  operation: { type: 'string', multiple: true },
  smoke: { type: 'boolean' },
  vectors: { type: 'string' },
};

/** Reads parameters; what is not known is a `UsageError` with the nearest that is. */
export function parsed(parameters: readonly string[], options: Options): Parsed {
  const dashes = parameters.indexOf('--');
  const own = dashes < 0 ? parameters : parameters.slice(0, dashes);
  try {
    const { values, positionals } = parseArgs({
      args: [...own],
      options,
      allowPositionals: true,
    });
    return {
      values: values as Parsed['values'],
      positionals,
      ...(dashes >= 0 && { command: parameters.slice(dashes + 1) }),
    };
  } catch (error) {
    throw new UsageError(optionFault(error, own, Object.keys(options)));
  }
}

function optionFault(error: unknown, own: readonly string[], known: readonly string[]): string {
  const { code, message = '' } = error as { code?: string; message?: string };
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return message.split(/\.\s/)[0] ?? message;
  const option =
    own.find((word) => word.startsWith('-') && message.includes(`'${word.split('=')[0]}'`)) ?? '';
  const near = nearest(option.replace(/^-+/, ''), known);
  const hint = near === undefined ? 'see --help' : `did you mean --${near}?`;
  return `${option.split('=')[0]} is not an option here; ${hint}`;
}

/** One text of an option that is given once. */
export function textOption({ values }: Parsed, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** An option that is a number of something, or its default. */
export function numberOption(given: Parsed, name: string, otherwise: number): number {
  const text = textOption(given, name);
  if (text === undefined) return otherwise;
  if (!/^[0-9]{1,6}(\.[0-9]+)?$/.test(text)) {
    throw new UsageError(
      `--${name} ${JSON.stringify(text)} is not a number below a million; write digits, such as --${name} 5`,
    );
  }
  return Number(text);
}

/** An option that is a whole number below a limit, such as a seed; nothing where it is absent. */
export function seedOption(given: Parsed, limit: number): number | undefined {
  const text = textOption(given, 'seed');
  if (text === undefined) return undefined;
  if (/^[0-9]{1,10}$/.test(text) && Number(text) < limit) return Number(text);
  throw new UsageError(
    `--seed ${JSON.stringify(text)} is not a seed; write an integer below ${limit}`,
  );
}

/** An option that is a count of at least one. */
export function countOption(given: Parsed, name: string): number {
  const count = numberOption(given, name, 1);
  if (Number.isInteger(count) && count > 0) return count;
  throw new UsageError(`--${name} ${count} is not a count; write 1 or more`);
}

/** The bundled suite, or the folder that `--vectors` names, read and checked. */
export async function suiteOf(given: Parsed): Promise<Suite> {
  const folder = textOption(given, 'vectors');
  if (folder === undefined) return bundledSuite();
  const { readSuite } = await import('../suite/read.ts');
  return readSuite(folder);
}

/** What the selecting options and the patterns say. */
export function selectionOf({ values, positionals }: Parsed): Selection {
  const texts = (name: string): readonly string[] =>
    [values[name] ?? []].flat().filter((value) => typeof value === 'string');
  return {
    patterns: positionals,
    rules: texts('rule'),
    levels: texts('level'),
    operations: texts('operation'),
    smoke: values['smoke'] === true,
  };
}
