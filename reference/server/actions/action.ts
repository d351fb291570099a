/**
 * What an action is, and the values that it may be given (§4.1, §4.2).
 *
 * @module
 */
import { ACTION_ERRORS, type ErrorRow, serviceError } from '../errors.ts';
import type { Service } from '../service.ts';
import type { Bucket } from '../store/store.ts';

/** What a parameter may be; which ones there are is a table in the file of each action. */
export interface ParameterRule {
  readonly name: string;
  readonly isRequired?: true;
  /** Stands in where the parameter is missing or empty. */
  readonly otherwise?: string;
  readonly allows?: RegExp;
  /** What is said of a value that is not allowed; without it, that the parameter is not available. */
  readonly refusal?: ErrorRow;
}

/** The values of parameters by their names. */
export type Values = ReadonlyMap<string, string>;

/** Of every rule one, empty where it was not given. */
export type CheckedValues = Readonly<Record<string, string>>;

export interface Action {
  readonly name: string;
  readonly parameters: readonly ParameterRule[];
  /** The members of the answer beside RetCode and Action. */
  readonly answer: (values: CheckedValues, service: Service) => Promise<object>;
}

/** Bucket names are host labels. */
export const BUCKET_NAME: ParameterRule = {
  name: 'BucketName',
  isRequired: true,
  allows: /^[a-z0-9](?:[a-z0-9-]{1,61})[a-z0-9]$/,
  refusal: ACTION_ERRORS.nameIllegal,
};

export const TYPE: ParameterRule = {
  name: 'Type',
  allows: /^(?:public|private)$/,
  refusal: ACTION_ERRORS.typeIllegal,
};

export const PROJECT: ParameterRule = { name: 'ProjectId' };
export const OFFSET: ParameterRule = { name: 'Offset', otherwise: '0', allows: /^[0-9]{1,9}$/ };
export const LIMIT: ParameterRule = { name: 'Limit', otherwise: '20', allows: /^[0-9]{1,9}$/ };

/** More rows are never answered at once; of the real service no limit is published. */
const MOST_ROWS = 1000;

/** The number of rows that a value of `LIMIT` asks for. */
export function rowLimit(text: string | undefined): number {
  return Math.min(Number(text), MOST_ROWS);
}

const LONGEST = 1024;

/** The values of an action's parameters, checked; those of no rule are signed and not looked at. */
export function checkedValues(rules: readonly ParameterRule[], given: Values): CheckedValues {
  checkNames(rules, given);
  const values = rules.map(({ name, isRequired, otherwise = '', allows, refusal }) => {
    const value = given.get(name) || otherwise;
    if (value === '' && isRequired) throw serviceError(ACTION_ERRORS.parameterMissing, name);
    const isAllowed = value.length <= LONGEST && (value === '' || !allows || allows.test(value));
    if (!isAllowed && refusal) throw serviceError(refusal, JSON.stringify(value));
    if (!isAllowed) throw serviceError(ACTION_ERRORS.parameterWrong, name);
    return [name, value] as const;
  });
  return Object.fromEntries(values);
}

/**
 * Refuses a name in which another parameter may be hidden.
 *
 * §5.1 signs names and values without separators: `BucketNamedemoLimit=5` has the signature of
 * `BucketName=demo&Limit=5`, and would describe all buckets.
 */
function checkNames(rules: readonly ParameterRule[], given: Values): void {
  const known = ['Action', 'PublicKey', ...rules.map(({ name }) => name)];
  const hiding = [...given.keys()].find(
    (name) => !known.includes(name) && known.some((one) => name.includes(one)),
  );
  if (hiding !== undefined) throw serviceError(ACTION_ERRORS.parameterWrong, hiding);
}

/** The bucket that the values name. */
export async function namedBucket(
  { BucketName = '' }: CheckedValues,
  { store }: Service,
): Promise<Bucket> {
  const bucket = await store.bucket(BucketName);
  if (!bucket) throw serviceError(ACTION_ERRORS.bucketUnknown, JSON.stringify(BucketName));
  return bucket;
}
