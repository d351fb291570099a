/**
 * The answers of the reference: from an operation and its input to every stage.
 *
 * @module
 */
import { type ReadFile, readPieces } from './contents.ts';
import { type Inputs, OPERATIONS, type OperationName, resultStages } from './operations.ts';
import {
  type Accounts,
  actionJson,
  actionQuery,
  actionSignature,
  authorization,
  bucketRequest,
  type Context,
  etagHash,
  formAuthorization,
  InputError,
  instantUpload,
  type KeyPair,
  partEtagOfPieces,
  presignedUrl,
  type Verification,
  verifyAuthorization,
  verifyJson,
  verifyPresignedUrl,
  verifyQuery,
} from './signing/index.ts';
import type { Members } from './values.ts';

/** Computes every stage of an answer, by name. */
type Compute<Input> = (
  input: Input,
  keys: KeyPair,
  context: Context,
  readFile: ReadFile,
) => object | Verification<object>;

const createAccounts =
  (keys: KeyPair, { steps }: Context): Accounts =>
  (publicKey) =>
    steps.sameAccount(keys.publicKey, publicKey) ? keys : steps.unknownAccount(publicKey);

const TABLE: { readonly [Name in OperationName]: Compute<Inputs[Name]> } = {
  'url-encode': ({ text }, _keys, { steps }) => ({ encoded: steps.urlEncode(text) }),
  password: ({ text }, _keys, context) => ({ value: context.steps.password(text, context) }),
  'action-signature': ({ parameters }, keys, context) =>
    actionSignature(parameters, keys.privateKey, context),
  'action-json': ({ parameters }, keys, context) => actionJson(parameters, keys, context),
  'action-query': ({ parameters }, keys, context) => actionQuery(parameters, keys, context),
  'bucket-request': ({ parameters }, keys, context) => bucketRequest(parameters, keys, context),
  authorization: (input, keys, context) => authorization(input, keys, context),
  'form-authorization': (input, keys, context) => formAuthorization(input, keys, context),
  policy: ({ members }, _keys, context) => ({ policy: context.steps.policy(members, context) }),
  'policy-authorization': (input, keys, context) =>
    authorization(input, keys, context, input.policy),
  'instant-upload': (input, keys, context) => instantUpload(input, keys, context),
  'presigned-url': (input, keys, context) => presignedUrl(input, keys, context),
  etag({ content }, _keys, context, readFile) {
    const hash = etagHash(context);
    for (const piece of readPieces(content, readFile)) hash.update(piece);
    return hash.stages();
  },
  'part-etag': ({ content }, _keys, context, readFile) =>
    partEtagOfPieces(readPieces(content, readFile), context),
  'verify-authorization': (input, keys, context) =>
    verifyAuthorization(input, createAccounts(keys, context), context),
  'verify-presigned-url': (input, keys, context) =>
    verifyPresignedUrl(
      { ...input, now: Number(input.now) },
      createAccounts(keys, context),
      context,
    ),
  'verify-query': ({ query }, keys, context) =>
    verifyQuery(query, createAccounts(keys, context), context),
  'verify-json': ({ body }, keys, context) =>
    verifyJson(body, createAccounts(keys, context), context),
};

/** By any name: a question may name an unknown operation. */
const COMPUTE: Readonly<Record<string, Compute<never>>> = TABLE;

/** The stages of an answer, or the reason of a refusal. */
type Answer = { readonly stages: Members } | { readonly reason: string; readonly message: string };

function toAnswer(verification: Verification<object>): Answer {
  if (!verification.accepted) {
    const { reason, message } = verification;
    return { reason, message };
  }
  return { stages: { ...verification.stages, publicKey: verification.publicKey } };
}

/** The default reader, which has no files, as in a browser. */
const noFile: ReadFile = (path) => {
  throw new Error(`cannot read ${JSON.stringify(path)}: files are not available here`);
};

/**
 * Computes the answer to one question.
 *
 * @param input the input, with the members that the table of operations lists; schemas have checked it
 * @throws Error if the operation is unknown, or the file of a content cannot be read
 */
export function answerQuestion(
  operation: string,
  input: object,
  keys: KeyPair,
  context: Context,
  readFile: ReadFile = noFile,
): Answer {
  const compute = COMPUTE[operation];
  if (!compute) throw new Error(`there is no operation ${operation}`);
  try {
    const computed = compute(input as never, keys, context, readFile);
    return 'accepted' in computed ? toAnswer(computed) : { stages: { ...computed } };
  } catch (error) {
    if (error instanceof InputError) return { reason: error.code, message: error.message };
    throw error;
  }
}

/** The stages of all operations that are not results. */
export const TRACES: readonly string[] = [
  ...new Set(
    Object.entries(OPERATIONS).flatMap(([name, { stages }]) =>
      stages.filter((stage) => !resultStages(name).includes(stage)),
    ),
  ),
];

/** Splits the stages of an answer into its result and its trace. */
export function splitStages(
  operation: string,
  stages: Members,
): { readonly result: Members; readonly trace: Members } {
  const { stages: names = [], results = 0 } = OPERATIONS[operation] ?? {};
  const result: Record<string, unknown> = {};
  const trace: Record<string, unknown> = {};
  for (let at = 0; at < names.length; at++) {
    const name = names[at] ?? '';
    const value = stages[name];
    if (value !== undefined) (at < names.length - results ? trace : result)[name] = value;
  }
  return { result, trace };
}
