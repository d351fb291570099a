/**
 * The operations of the specification: each from its input to all stages of its answer.
 *
 * @module
 */
import { sha1 } from '#digest';
import { hexadecimal } from './bytes.ts';
import type {
  ActionParameters,
  ActionStages,
  Context,
  FileRequest,
  FileStages,
  FormRequest,
  InstantUpload,
  KeyPair,
  PresignedRequest,
} from './types.ts';

/** §4.1 and §4.2 require these. The specification lists further required parameters for CreateBucket only. */
const REQUIRED = ['Action', 'PublicKey'];
const REQUIRED_BY_CREATE_BUCKET = [...REQUIRED, 'Type', 'BucketName'];

/**
 * Signs parameters: the hexadecimal SHA-1 of the sorted names and values and the private key (§5.1).
 *
 * @throws InputError if §5.1 defines no text for a parameter
 */
export function actionSignature(
  parameters: ActionParameters,
  privateKey: string,
  context: Context,
): ActionStages {
  const { steps } = context;
  const flat = steps.signedParameters(parameters, context);
  return steps.signatureOfFlat(flat, privateKey, context, parameters);
}

/** The parameters as the query of a URL, without its `?` (§4.2, §5.3). */
export function actionQuery(
  parameters: ActionParameters,
  keys: KeyPair,
  context: Context,
): ActionStages & { readonly query: string } {
  const { steps } = context;
  const flat = steps.signedParameters(parameters, context);
  steps.checkPresent(flat, REQUIRED, '§4.2');
  const stages = steps.signatureOfFlat(flat, keys.privateKey, context, parameters);
  const { sortedParameters, stringToSign, signature } = stages;
  return { sortedParameters, stringToSign, signature, query: formatQuery(stages, context) };
}

/** A bucket management request: `/?…` of a GET (§4.1). */
export function bucketRequest(
  parameters: ActionParameters,
  keys: KeyPair,
  context: Context,
): ActionStages & { readonly target: string } {
  const { steps } = context;
  const flat = steps.signedParameters(parameters, context);
  const createsBucket = flat.some(([name, value]) => name === 'Action' && value === 'CreateBucket');
  steps.checkPresent(flat, createsBucket ? REQUIRED_BY_CREATE_BUCKET : REQUIRED, '§4.1');
  const stages = steps.signatureOfFlat(flat, keys.privateKey, context, parameters);
  const { sortedParameters, stringToSign, signature } = stages;
  const target = steps.bucketTarget(formatQuery(stages, context));
  return { sortedParameters, stringToSign, signature, target };
}

function formatQuery({ sortedParameters, signature }: ActionStages, context: Context): string {
  const { steps } = context;
  const sent = sortedParameters.filter(([name]) => steps.isSentParameter(name));
  return steps.signedQuery(sent, signature, context);
}

/** The body of the POST: one JSON object with the parameters and `Signature` (§4.2). */
export function actionJson(
  parameters: ActionParameters,
  keys: KeyPair,
  context: Context,
): ActionStages & { readonly body: string } {
  const { steps } = context;
  const flat = steps.signedParameters(parameters, context);
  steps.checkPresent(flat, REQUIRED, '§4.2');
  const stages = steps.signatureOfFlat(flat, keys.privateKey, context, parameters);
  const { sortedParameters, stringToSign, signature } = stages;
  const sent = flat.filter(([name]) => steps.isSentParameter(name));
  const members = steps.jsonMembers(sent, parameters, context, keys.privateKey);
  const body = steps.bodyText(steps.jsonBody(members, signature, context));
  // A spread in the place of the names takes longer than the SHA-1.
  return { sortedParameters, stringToSign, signature, body };
}

export interface AuthorizationStages extends FileStages {
  readonly authorization: string;
}

/**
 * Signs a file request: `Svc <PublicKey>:<Signature>` and what led to it (§5.2).
 *
 * @param policy the callback policy as it is sent; empty for none
 * @throws InputError if §5.2 defines no text for the request
 */
export function authorization(
  request: FileRequest,
  keys: KeyPair,
  context: Context,
  policy = '',
): AuthorizationStages {
  context.steps.checkRequest(request, context);
  return addAuthorization(headerStages(request, keys, context, policy), keys, context, policy);
}

/** The stages up to the signature in the header `Authorization` of a correct request (§5.2). */
export function headerStages(
  request: FileRequest,
  keys: KeyPair,
  context: Context,
  policy: string,
): FileStages {
  const { steps } = context;
  const positional = steps.positionalValues(request, context);
  return steps.signedFile(request, positional, keys, context, policy);
}

function addAuthorization(
  stages: FileStages,
  { publicKey }: KeyPair,
  context: Context,
  policy: string,
): AuthorizationStages {
  const { steps, dialect } = context;
  const { scheme } = dialect;
  const { canonicalHeaders, canonicalResource, stringToSign, digest, signature } = stages;
  const value = steps.authorizationValue(scheme, publicKey, signature, policy, context);
  // A spread in the place of the names takes longer than the HMAC.
  return {
    canonicalHeaders,
    canonicalResource,
    stringToSign,
    digest,
    signature,
    authorization: steps.authorizationText(value),
  };
}

/** Signs a form upload; the result travels in the form field `Authorization` (§4.3, §5.2). */
export function formAuthorization(
  form: FormRequest,
  keys: KeyPair,
  context: Context,
): AuthorizationStages {
  const { steps } = context;
  const headers = steps.formHeaders(form);
  const request: FileRequest = { method: steps.formMethod(), ...form, headers };
  steps.checkRequest(request, context);
  const positional = steps.formPositionalValues(form, context);
  const stages = steps.signedFile(request, positional, keys, context, '');
  return addAuthorization(stages, keys, context, '');
}

export interface InstantUploadStages extends AuthorizationStages {
  readonly target: string;
}

/** Signs an instant upload: a POST to the file that `FileName` names, whatever its path is. */
export function instantUpload(
  upload: InstantUpload,
  keys: KeyPair,
  context: Context,
): InstantUploadStages {
  const { steps } = context;
  const { bucket } = upload;
  const key = steps.instantUploadKey(upload);
  const headers = steps.instantUploadHeaders(upload);
  const method = steps.instantUploadMethod();
  return {
    ...authorization({ method, bucket, key, headers }, keys, context),
    target: steps.instantUploadTarget(upload, context),
  };
}

export interface PresignedStages extends FileStages {
  readonly encodedSignature: string;
  readonly url: string;
}

/** Signs a request as a URL, which is valid without further credentials until it expires (§5.4). */
export function presignedUrl(
  request: PresignedRequest,
  keys: KeyPair,
  context: Context,
): PresignedStages {
  const { steps, dialect } = context;
  steps.checkRequest(request, context);
  const stages = presignedStages(request, keys, context);
  const encodedSignature = steps.encodedSignature(stages.signature, context);
  const query = steps.presignedQuery(
    [
      [dialect.publicKeyParameter, steps.presignedPublicKey(keys.publicKey, context)],
      ['Expires', steps.presignedExpires(request.expires, context)],
      ['Signature', encodedSignature],
    ],
    context,
  );
  const host = steps.fileHostName(request.bucket, request.fileHost, context);
  const path = steps.filePath(request.key, context);
  const url = steps.urlText(steps.presignedText(request.scheme, host, path, query, context));
  const { canonicalHeaders, canonicalResource, stringToSign, digest, signature } = stages;
  return {
    canonicalHeaders,
    canonicalResource,
    stringToSign,
    digest,
    signature,
    encodedSignature,
    url,
  };
}

/** The stages up to the signature in the pre-signed URL of a correct request (§5.4). */
export function presignedStages(
  request: PresignedRequest,
  keys: KeyPair,
  context: Context,
): FileStages {
  const { steps } = context;
  const positional = steps.presignedPositionalValues(request, context);
  return steps.presignedFile(request, positional, keys, context);
}

export interface EtagStages {
  readonly blockCount: number;
  /** The SHA-1 that enters the ETag, in lower-case hexadecimal. */
  readonly digest: string;
  readonly etag: string;
}

export type PartEtagStages = Omit<EtagStages, 'blockCount'>;

/** Computes the ETag of a file piece by piece (§2). */
export interface EtagHash {
  readonly update: (piece: Uint8Array) => void;
  readonly stages: () => EtagStages;
}

/** Creates a hash that computes an ETag in constant memory. */
export function etagHash(context: Context): EtagHash {
  const { steps } = context;
  const blocks = steps.blockHash(steps.blockSize);
  return {
    update: blocks.update,
    stages() {
      const digests = steps.hashedBlocks(blocks.digests());
      const digest = steps.etagDigest(steps.fileDigest(digests));
      const bytes = steps.etagBytes(digests.length, digest, context);
      return {
        blockCount: digests.length,
        digest: hexadecimal(digest),
        etag: steps.etagText(bytes),
      };
    },
  };
}

/** The ETag of a file that is in memory. */
export function etag(content: Uint8Array, context: Context): EtagStages {
  const hash = etagHash(context);
  hash.update(content);
  return hash.stages();
}

/** The ETag of a stream, independent of how it is cut into pieces. */
export async function etagOfStream(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  context: Context,
): Promise<EtagStages> {
  const hash = etagHash(context);
  for await (const piece of pieces) hash.update(piece);
  return hash.stages();
}

/** The ETag of a part of an upload: its SHA-1 alone. */
export function partEtag(content: Uint8Array, context: Context): PartEtagStages {
  return partEtagOfPieces([content], context);
}

/** The ETag of a part that arrives in pieces, in constant memory. */
export function partEtagOfPieces(pieces: Iterable<Uint8Array>, context: Context): PartEtagStages {
  const { steps } = context;
  const hash = steps.partHash(Number.POSITIVE_INFINITY, context);
  for (const piece of pieces) hash.update(piece);
  const [digest = sha1(new Uint8Array())] = hash.digests();
  return {
    digest: hexadecimal(digest),
    etag: steps.partEtagText(steps.partEtagBytes(digest), context),
  };
}
