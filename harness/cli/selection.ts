/**
 * The options that select vectors, and the selected vectors in a dialect.
 *
 * @module
 */
import { OPERATIONS } from '../../reference/operations.ts';
import { parseDialect } from '../engine/dialects.ts';
import { UsageError } from '../engine/errors.ts';
import type { Selection } from '../engine/select.ts';
import { LEVELS, type Suite, type Vector } from '../engine/vector.ts';
import { bundledSuite } from '../suite/bundle.ts';
import {
  flagOption,
  type Operand,
  type Option,
  type Options,
  type Parsed,
  textOption,
  textsOption,
} from './verb.ts';

const group = 'Which vectors';

export const listVectorIds = (): readonly string[] => bundledSuite().vectors.map(({ id }) => id);

/** The operand of every verb that selects vectors. */
export const ID: Operand = {
  group,
  help: 'an id, a folder of ids, or a glob over them',
  candidates: listVectorIds,
};

/** The option of verbs that print entries of the catalogue. */
export const JSON_LINES: Option = {
  type: 'flag',
  help: 'write each as a JSON object on one line (schema/catalogue.schema.json)',
};

/** The options that also fit `probe`, which asks only about the vectors of the package. */
export const FILTERS: Options = {
  rule: {
    value: 'ID',
    repeatable: true,
    group,
    help: 'only vectors that test this rule, or a rule that this glob matches',
    candidates: () => bundledSuite().rules.map(({ id }) => id),
  },
  level: {
    value: 'LEVEL',
    repeatable: true,
    group,
    help: 'only vectors of this level: must, observed, advised or open. By default, a run asks about every level, and a failing advised vector does not fail the run; with --level advised it does',
    candidates: () => LEVELS,
  },
  operation: {
    value: 'NAME',
    repeatable: true,
    group,
    help: 'only vectors of this operation',
    candidates: () => Object.keys(OPERATIONS),
  },
};

export const SELECTION: Options = {
  ...FILTERS,
  exclude: {
    value: 'PATTERN',
    repeatable: true,
    group,
    help: 'leave out the vectors with this id, in this folder of ids, or that this glob matches',
    candidates: listVectorIds,
  },
  smoke: {
    type: 'flag',
    group,
    help: 'for each operation, a few vectors that catch nearly every mistake that all its vectors catch; other filters still apply',
  },
  vectors: {
    value: 'FOLDER',
    group,
    help: 'your own YAML files instead of the vectors of the package',
  },
};

/** The options of verbs that ask about the selected vectors. `list` and `show` have them all. */
export const QUESTION_OPTIONS: Options = {
  ...SELECTION,
  large: {
    type: 'flag',
    group,
    help: 'also the vectors with large files, up to 1 GiB. Without it, they take part only if you name their ids',
  },
};

export const SHARD: Option = {
  value: 'I/N',
  group,
  help: 'only the vectors of shard I of N. The id of a vector decides its shard; `merge` joins the reports of all shards',
};

/** The bundled suite, or the checked folder of `--vectors`. */
export function suiteOf(given: Parsed): Promise<Suite> {
  return readSuiteIn(textOption(given, 'vectors'));
}

export async function readSuiteIn(folder: string | undefined): Promise<Suite> {
  if (folder === undefined) return bundledSuite();
  const { readSuite } = await import('../suite/suite-folder.ts');
  return readSuite(folder);
}

/** The filters that the options and operands give. */
export function selectionOf(given: Parsed): Selection {
  const exclude = textsOption(given, 'exclude');
  return {
    patterns: given.positionals,
    ...(exclude.length > 0 && { exclude }),
    rules: textsOption(given, 'rule'),
    levels: textsOption(given, 'level'),
    operations: textsOption(given, 'operation'),
    smoke: flagOption(given, 'smoke'),
    ...(flagOption(given, 'large') && { large: true }),
  };
}

/** @throws UsageError if one of these options, which select only vectors, is given for rules or mistakes */
export function refuseFilters(given: Parsed, names: readonly string[], what: string): void {
  const name = names.find((one) => given.values[one] !== undefined);
  if (name === undefined) return;
  throw new UsageError(`--${name} selects vectors, not ${what}; leave it out`);
}

/** The vectors in a dialect. The files have the default dialect; for another one, the expected answers are computed. */
export async function translateTo(
  dialect: string,
  vectors: readonly Vector[],
): Promise<readonly Vector[]> {
  if (dialect === 'svc') return vectors;
  const { translateVectors } = await import('../make/rederive/rewording.ts');
  return translateVectors(parseDialect(dialect), vectors);
}
