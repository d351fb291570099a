/**
 * The forms in which signed parameters travel (§4.1, §4.2, §5.3).
 *
 * @module
 */
import { type ActionStages, signatureOfFlat, signedParameters } from './action-signature.ts';
import { InputError } from './errors.ts';
import { numberText } from './number-text.ts';
import type { Context } from './steps.ts';
import type { ActionParameters, FlatParameters, KeyPair, Pair, ScalarValue } from './types.ts';

/** §4.1 and §4.2 require these; what else an operation requires is not shown but for CreateBucket. */
const REQUIRED = ['Action', 'PublicKey'];
const REQUIRED_BY_CREATE_BUCKET = [...REQUIRED, 'Type', 'BucketName'];

/** Refuses a request without a parameter that it must have. */
export function checkPresent(
  parameters: FlatParameters,
  required: readonly string[],
  section: string,
): void {
  const missing = required.find((name) => !parameters.some(([present]) => present === name));
  if (missing !== undefined) {
    throw new InputError(
      'parameter-missing',
      `parameter ${missing} is missing; ${section} requires it; add it before signing`,
    );
  }
}

/** One pair of a query, both sides encoded (§5.3). */
export function queryPair(name: string, text: string, { steps }: Context): string {
  return `${steps.urlEncode(name)}=${steps.urlEncode(text)}`;
}

/** `name=value` pairs with `&`, `Signature` appended last (§5.3). */
export function signedQuery(
  parameters: readonly Pair[],
  signature: string,
  context: Context,
): string {
  const pairs = parameters.map(([name, text]) => context.steps.queryPair(name, text, context));
  return [...pairs, `Signature=${signature}`].join('&');
}

/** The parameters as the query of a URL, without its `?` (§5.3). */
export function actionQuery(
  parameters: ActionParameters,
  keys: KeyPair,
  context: Context,
): ActionStages & { readonly query: string } {
  const flat = signedParameters(parameters, context);
  context.steps.checkPresent(flat, REQUIRED, '§4.2');
  const stages = signatureOfFlat(flat, keys.privateKey, context);
  return {
    ...stages,
    query: sentQuery(stages, context),
  };
}

/** A bucket management request: `/?…` of a GET (§4.1). */
export function bucketRequest(
  parameters: ActionParameters,
  keys: KeyPair,
  context: Context,
): ActionStages & { readonly target: string } {
  const flat = signedParameters(parameters, context);
  context.steps.checkPresent(
    flat,
    createsBucket(flat) ? REQUIRED_BY_CREATE_BUCKET : REQUIRED,
    '§4.1',
  );
  const stages = signatureOfFlat(flat, keys.privateKey, context);
  return { ...stages, target: context.steps.bucketTarget(sentQuery(stages, context)) };
}

function sentQuery({ sortedParameters, signature }: ActionStages, context: Context): string {
  const { isSentParameter, signedQuery } = context.steps;
  return signedQuery(
    sortedParameters.filter(([name]) => isSentParameter(name)),
    signature,
    context,
  );
}

/** A slash and the query (§4.1). */
export function bucketTarget(query: string): string {
  return `/?${query}`;
}

function createsBucket(parameters: FlatParameters): boolean {
  return parameters.some(([name, value]) => name === 'Action' && value === 'CreateBucket');
}

/** A value as a member of the JSON body: numbers stay numbers (§4.2). */
export function jsonValue(value: ScalarValue, { steps }: Context): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'boolean' ? `${value}` : numberText(steps.heldNumber(value.number));
}

/** The members of the JSON body but for `Signature`: the parameters as they are signed (§4.2). */
export function jsonMembers(
  sent: FlatParameters,
  _given: ActionParameters,
  context: Context,
): readonly string[] {
  return sent.map(
    ([name, value]) => `${JSON.stringify(name)}:${context.steps.jsonValue(value, context)}`,
  );
}

/** The body of the POST: one JSON object with the parameters and `Signature` (§4.2). */
export function actionJson(
  parameters: ActionParameters,
  keys: KeyPair,
  context: Context,
): ActionStages & { readonly body: string } {
  const flat = signedParameters(parameters, context);
  context.steps.checkPresent(flat, REQUIRED, '§4.2');
  const stages = signatureOfFlat(flat, keys.privateKey, context);
  const { isSentParameter, jsonMembers } = context.steps;
  const sent = flat.filter(([name]) => isSentParameter(name));
  const members = jsonMembers(sent, parameters, context);
  return { ...stages, body: `{${[...members, `"Signature":"${stages.signature}"`].join(',')}}` };
}
