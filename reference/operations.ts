/**
 * The reference by the names of the protocol: an operation, its input, every stage of its answer.
 *
 * @module
 */
import { etagOfFile, piecesOfFile } from './files/etag-of-file.ts';
import {
  type Accounts,
  type ActionParameters,
  actionJson,
  actionQuery,
  actionSignature,
  authorization,
  bucketRequest,
  type Context,
  etag,
  type FileRequest,
  type FormRequest,
  formAuthorization,
  InputError,
  type InstantUpload,
  instantUpload,
  type KeyPair,
  type Pair,
  type PresignedRequest,
  partEtag,
  partEtagOfPieces,
  presignedUrl,
  type Verification,
  verifyAuthorization,
  verifyJson,
  verifyPresignedUrl,
  verifyQuery,
} from './signing/index.ts';

/** Everything that an input may hold; the harness sends what the operation needs. */
export interface OperationInput extends FileRequest, FormRequest, InstantUpload, PresignedRequest {
  readonly body: string;
  readonly content: { readonly file: string } | { readonly bytes: string };
  readonly members: readonly Pair[];
  readonly now: string;
  readonly parameters: ActionParameters;
  readonly policy: string;
  readonly query: string;
  readonly text: string;
  readonly url: string;
}

/** Every stage by name, and which of them are the result; the others are the trace. */
export type Answer = readonly [stages: object, results: readonly string[]];
export type Operation = (input: OperationInput, keys: KeyPair, context: Context) => Answer;

/** A verifier's no. */
class Refused extends Error {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

function accepted<Stages extends object>(verification: Verification<Stages>): Answer {
  if (!verification.accepted) throw new Refused(verification.reason, verification.message);
  return [{ ...verification.stages, publicKey: verification.publicKey }, ['publicKey']];
}

const account =
  (keys: KeyPair, { steps }: Context): Accounts =>
  (publicKey) =>
    steps.sameAccount(keys.publicKey, publicKey) ? keys : undefined;

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'url-encode': ({ text }, _keys, { steps }) => [{ encoded: steps.urlEncode(text) }, ['encoded']],
  password: ({ text }, _keys, context) => [
    { value: context.steps.password(text, context) },
    ['value'],
  ],
  'action-signature': ({ parameters }, keys, context) => [
    actionSignature(parameters, keys.privateKey, context),
    ['signature'],
  ],
  'action-json': ({ parameters }, keys, context) => [
    actionJson(parameters, keys, context),
    ['body'],
  ],
  'action-query': ({ parameters }, keys, context) => [
    actionQuery(parameters, keys, context),
    ['query'],
  ],
  'bucket-request': ({ parameters }, keys, context) => [
    bucketRequest(parameters, keys, context),
    ['target'],
  ],
  authorization: (input, keys, context) => [authorization(input, keys, context), ['authorization']],
  'form-authorization': (input, keys, context) => [
    formAuthorization(input, keys, context),
    ['authorization'],
  ],
  policy: ({ members }, _keys, context) => [
    { policy: context.steps.policy(members, context) },
    ['policy'],
  ],
  'policy-authorization': (input, keys, context) => [
    authorization(input, keys, context, input.policy),
    ['authorization'],
  ],
  'instant-upload': (input, keys, context) => [
    instantUpload(input, keys, context),
    ['target', 'authorization'],
  ],
  'presigned-url': (input, keys, context) => [presignedUrl(input, keys, context), ['url']],
  etag: ({ content }, _keys, context) => [
    'file' in content
      ? etagOfFile(content.file, context)
      : etag(Buffer.from(content.bytes, 'base64'), context),
    ['etag'],
  ],
  'part-etag': ({ content }, _keys, context) => [
    'file' in content
      ? partEtagOfPieces(piecesOfFile(content.file), context)
      : partEtag(Buffer.from(content.bytes, 'base64'), context),
    ['etag'],
  ],
  'verify-authorization': (input, keys, context) =>
    accepted(verifyAuthorization(input, account(keys, context), context)),
  'verify-presigned-url': (input, keys, context) =>
    accepted(
      verifyPresignedUrl({ ...input, now: Number(input.now) }, account(keys, context), context),
    ),
  'verify-query': ({ query }, keys, context) =>
    accepted(verifyQuery(query, account(keys, context), context)),
  'verify-json': ({ body }, keys, context) =>
    accepted(verifyJson(body, account(keys, context), context)),
};

/** What came of a question: an answer, or a deliberate no with its reason. */
export type Outcome =
  | { readonly stages: Readonly<Record<string, unknown>>; readonly results: readonly string[] }
  | { readonly reason: string; readonly message: string };

/**
 * Asks one operation.
 *
 * @throws Error where there is no such operation, or the file of a content cannot be read
 */
export function outcome(
  operation: string,
  input: OperationInput,
  keys: KeyPair,
  context: Context,
): Outcome {
  const operate = OPERATIONS[operation];
  if (!operate) throw new Error(`no operation is named ${operation}`);
  try {
    const [stages, results] = operate(input, keys, context);
    return { stages: { ...stages }, results };
  } catch (error) {
    if (error instanceof Refused) return { reason: error.reason, message: error.message };
    if (error instanceof InputError) return { reason: error.code, message: error.message };
    throw error;
  }
}
