/**
 * Verifies signed requests (§5, E1).
 *
 * @module
 */
import { headerStages, presignedStages } from './operations.ts';
import {
  type ActionParameters,
  type ActionStages,
  type Context,
  type FileRequest,
  type FileStages,
  type HeaderList,
  InputError,
  type InputErrorCode,
  type KeyPair,
  type Pair,
} from './types.ts';
import type { ParsedAuthorization } from './verification.ts';

/** Why a request is refused. §7 names no codes; these are this project's. */
export type RefusalReason =
  | InputErrorCode
  | 'authorization-malformed'
  | 'authorization-missing'
  | 'body-malformed'
  | 'expired'
  | 'expires-malformed'
  | 'public-key-unknown'
  | 'query-malformed'
  | 'signature-mismatch'
  | 'signature-missing'
  | 'url-malformed';

export interface Refusal {
  readonly accepted: false;
  readonly reason: RefusalReason;
  /** One sentence: the fault, the observed value, the rule. It never contains a private key or the correct signature. */
  readonly message: string;
}

export interface Acceptance<Stages> {
  readonly accepted: true;
  readonly publicKey: string;
  /** All stages up to the signature, which equals the one that the request carries. */
  readonly stages: Stages;
}

export type Verification<Stages> = Acceptance<Stages> | Refusal;

/** Finds the key pair of an account by its public key (§1). */
export type Accounts = (publicKey: string) => KeyPair | undefined;

/** Not an Error: `catchRefusal` catches every instance, and creating a stack takes longer than the rest of a refusal. */
class Refused {
  readonly reason: RefusalReason;
  readonly message: string;

  constructor(reason: RefusalReason, message: string) {
    this.reason = reason;
    this.message = message;
  }
}

export function refuse(reason: RefusalReason, message: string): never {
  throw new Refused(reason, message);
}

/** Runs a verification. Converts two exceptions to refusals: `Refused`, and `InputError` for input for which §5 defines no signature. */
export function catchRefusal<Stages>(verify: () => Acceptance<Stages>): Verification<Stages> {
  try {
    return verify();
  } catch (error) {
    if (error instanceof Refused) {
      return { accepted: false, reason: error.reason, message: error.message };
    }
    if (error instanceof InputError) {
      return { accepted: false, reason: error.code, message: error.message };
    }
    throw error;
  }
}

/** Recomputes the signature with the account's key and compares (§1, §5). `sign` returns the stages of each accepted request; `signed` says in the message what is signed. */
export function accept<Stages extends { readonly signature: string }>(
  publicKey: string,
  signature: string,
  accounts: Accounts,
  { steps }: Context,
  sign: (keys: KeyPair) => Iterable<Stages>,
  signed = 'request',
): Acceptance<Stages> {
  const keys =
    accounts(steps.receivedPublicKey(publicKey)) ??
    refuse(
      'public-key-unknown',
      `public key ${JSON.stringify(publicKey)} belongs to no account here; use the key of an account (§1)`,
    );
  const received = steps.receivedSignature(signature);
  for (const stages of sign(keys)) {
    if (steps.sameText(stages.signature, received)) return { accepted: true, publicKey, stages };
  }
  return refuse(
    'signature-mismatch',
    `signature ${JSON.stringify(signature)} does not match this ${signed} and account (§7 E1); compare the string to sign`,
  );
}

/** Verifies a file request by its `Authorization` header (§5.2). */
export function verifyAuthorization(
  given: FileRequest,
  accounts: Accounts,
  context: Context,
): Verification<FileStages> {
  return catchRefusal(() => {
    const { steps } = context;
    steps.checkRequest(given, context);
    const request = steps.verifiedRequest(given);
    const { publicKey, signature, ...parsed } = readAuthorization(given.headers, context);
    const policy = steps.receivedPolicy(parsed.policy, request.method);
    // Check the policy before the signature; otherwise, part of a longer key passes as a policy.
    const fault = findPolicyFault(request.method, policy, context);
    if (fault !== undefined) refuse('authorization-malformed', fault);
    return accept(publicKey, signature, accounts, context, (keys) =>
      steps
        .acceptedRequests(request)
        .flatMap((accepted) =>
          steps
            .acceptedPolicies(policy)
            .map((signed) => headerStages(accepted, keys, context, signed)),
        ),
    );
  });
}

/** Reads the header `Authorization`; refuses a missing, repeated or malformed one. */
function readAuthorization(headers: HeaderList, context: Context): ParsedAuthorization {
  const { steps, dialect } = context;
  const all = headers.filter(([name]) => steps.isAuthorization(steps.trimName(name)));
  const values = steps.authorizationValues(all.map(([, value]) => value));
  const value =
    values[0] ??
    refuse(
      'authorization-missing',
      'header Authorization is missing; §5.2 requires it; sign the request',
    );
  const plain = steps.receivedAuthorization(steps.trimPositional(steps.unfoldPositional(value)));
  const parsed =
    values.length === 1 ? steps.parsedAuthorization(plain, dialect.scheme, context) : undefined;
  return (
    parsed ??
    refuse(
      'authorization-malformed',
      `header Authorization is ${values.length > 1 ? `sent ${values.length} times` : JSON.stringify(value)}; §5.2 allows one; write it as "${dialect.scheme} <PublicKey>:<Signature>"`,
    )
  );
}

/**
 * Why a verifier refuses the third part of an Authorization header; `undefined` if it is absent or may be a policy.
 *
 * Nothing separates resource and policy in the signed text. So a verifier that accepts any third part also accepts the
 * signature for a file key for every prefix of that file key.
 */
export function findPolicyFault(
  method: string,
  text: string,
  { steps }: Context,
): string | undefined {
  if (text === '') return undefined;
  if (!steps.takesPolicy(method)) {
    return `header Authorization has a callback policy in a ${method} request; only an upload (PUT or POST) adds one to the form of §5.2; send scheme, public key and signature alone`;
  }
  if (steps.isPolicy(text)) return undefined;
  return `the callback policy ${JSON.stringify(text)} in header Authorization is not Base64 of a JSON object; encode the policy, or send the form of §5.2 without one`;
}

/** Verifies the query of an action or of bucket management (§4.1, §4.2, §5.1). */
export function verifyQuery(
  query: string,
  accounts: Accounts,
  context: Context,
): Verification<ActionStages> {
  return catchRefusal(() => verifyParameters(parseQuery(query, context), accounts, context));
}

function parseQuery(query: string, context: Context): readonly Pair[] {
  return (
    context.steps.decodedQuery(query, context) ??
    refuse(
      'query-malformed',
      `query ${JSON.stringify(query)} has an escape that is not UTF-8 (§5.3); percent-encode the UTF-8 bytes of names and values`,
    )
  );
}

const UNSIGNABLE: readonly RefusalReason[] = ['parameter-null', 'number'];

/** Verifies the JSON body of an action (§4.2). */
export function verifyJson(
  body: string,
  accounts: Accounts,
  context: Context,
): Verification<ActionStages> {
  const verification = catchRefusal(() => {
    const { steps } = context;
    const value = steps.jsonText(steps.receivedBody(body));
    if (typeof value !== 'object' || value === null || !('object' in value)) {
      return refuse(
        'body-malformed',
        'the body is not one JSON object (§4.2); send the parameters as its members',
      );
    }
    if (steps.repeatsMember(value)) {
      refuse(
        'parameter-repeated',
        'the body has two members of one name; §5.1 signs a set of parameters; send each member once',
      );
    }
    return verifyParameters(steps.receivedMembers(value.object), accounts, context);
  });
  // A signer that is given a null reports the parameter; a verifier that receives one reports the body.
  return !verification.accepted && UNSIGNABLE.includes(verification.reason)
    ? { ...verification, reason: 'body-malformed' }
    : verification;
}

/** Refuses a repeated parameter. */
function checkOnce(
  parameters: readonly (readonly [name: string, value: unknown])[],
  name: string,
  section: string,
  { steps }: Context,
): void {
  const count = steps.countOf(parameters.filter(([other]) => other === name).length);
  if (count <= 1) return;
  refuse(
    'parameter-repeated',
    `parameter ${name} appears ${count} times; ${section} allows it once; send it once`,
  );
}

function verifyParameters(
  parameters: ActionParameters,
  accounts: Accounts,
  context: Context,
): Acceptance<ActionStages> {
  const { steps } = context;
  const signed = steps.signedParameters(parameters, context);
  checkOnce(parameters, 'Signature', '§4.2', context);
  const given = parameters.find(([name]) => name === 'Signature')?.[1];
  const signature = typeof given === 'string' ? given : '';
  if (!steps.hasSignature(given)) {
    refuse(
      'signature-missing',
      'parameter Signature is missing, empty or not a text; §4.2 requires it; sign the request',
    );
  }
  const missing = steps.missingParameter(signed);
  if (missing !== undefined) {
    refuse(
      'parameter-missing',
      `parameter ${missing} is missing; §4.2 requires it; add it before signing`,
    );
  }
  const publicKey = signed.find(([name]) => name === 'PublicKey')?.[1] ?? '';
  return accept(steps.valueText(publicKey, context), signature, accounts, context, (keys) => [
    steps.signatureOfFlat(signed, keys.privateKey, context, parameters),
  ]);
}

/** A request that uses a pre-signed URL. */
export interface PresignedUse {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderList;
  /** The host without the bucket and its dot. */
  readonly fileHost: string;
  /** The server's clock in Unix seconds. */
  readonly now: number;
}

const URL_PARTS = /^(https?):\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;

/** Verifies a request with a pre-signed URL: its expiry first, then its signature (§5.4). */
export function verifyPresignedUrl(
  use: PresignedUse,
  accounts: Accounts,
  context: Context,
): Verification<FileStages> {
  return catchRefusal(() => {
    const { steps, dialect } = context;
    const { fileHost, now } = use;
    const url = readUrl(use, context);
    const request = readRequest(use, url, context);
    const parameters = parseQuery(url.query, context);
    const others = checkUrlParameters(parameters, context);
    const value = (name: string): string => parameters.find(([n]) => n === name)?.[1] ?? '';
    const expires = value('Expires');
    const isExpiryFirst = steps.isExpiryFirst();
    if (isExpiryFirst) checkExpiry(expires, now, context);
    const publicKey = value(dialect.publicKeyParameter);
    const accepted = accept(publicKey, value('Signature'), accounts, context, (keys) => {
      const { scheme } = url;
      return steps.acceptedRequests(request).map((one) => {
        const { method, bucket, headers } = one;
        const key = steps.verifiedKey(one.key, others);
        const signed = { method, bucket, key, headers, scheme, fileHost, expires };
        return presignedStages(signed, keys, context);
      });
    });
    if (!isExpiryFirst) checkExpiry(expires, now, context);
    return accepted;
  });
}

/** The request for which the signature is computed, after its checks. */
function readRequest(
  use: PresignedUse,
  { bucket, key }: Pick<FileRequest, 'bucket' | 'key'>,
  context: Context,
): FileRequest {
  const { steps } = context;
  const headers = steps.verifiedHeaders(use.headers);
  const request = steps.verifiedRequest({ method: use.method, bucket, key, headers });
  // These members are named, because a spread would take longer than the HMAC.
  steps.checkRequest(
    { method: request.method, bucket: request.bucket, key: request.key, headers: use.headers },
    context,
  );
  return request;
}

/** Splits a URL at its scheme, host, path and query, and reads bucket and key; refuses a URL of another form. */
function readUrl({ url, fileHost }: PresignedUse, { steps }: Context) {
  const parts = URL_PARTS.exec(steps.receivedUrl(url));
  const [, scheme = '', host = '', path = '', query = ''] = parts ?? [];
  const bucket = steps.bucketOfHost(host, fileHost);
  const key = steps.keyOfPath(path);
  if (!parts || bucket === undefined || key === undefined) {
    return refuse(
      'url-malformed',
      `URL ${JSON.stringify(url)} is not "http(s)://<bucket>.${fileHost}/<key>?…" with a percent-encoded key (§4.3); write the URL in this form`,
    );
  }
  return { scheme, bucket, key, query };
}

/** §5.4 requires three parameters, each once. Returns the others, which are not signed and are ignored. */
function checkUrlParameters(parameters: readonly Pair[], context: Context): readonly Pair[] {
  const names = [context.dialect.publicKeyParameter, 'Expires', 'Signature'];
  for (const name of names) checkOnce(parameters, name, '§5.4', context);
  if (!context.steps.hasSignature(parameters.find(([name]) => name === 'Signature')?.[1])) {
    refuse(
      'signature-missing',
      'parameter Signature is missing or empty; §5.4 requires it; sign the URL',
    );
  }
  const missing = names.find(
    (name) => name !== 'Signature' && !parameters.some(([other]) => other === name),
  );
  if (missing !== undefined) {
    refuse('parameter-missing', `parameter ${missing} is missing; §5.4 requires it; sign the URL`);
  }
  const further = parameters.filter(([name]) => !names.includes(name));
  if (further.every(([name]) => context.steps.ignoresParameter(name))) return further;
  return refuse('url-malformed', 'the URL has a parameter that is not one of §5.4; remove it');
}

function checkExpiry(expires: string, now: number, { steps }: Context): void {
  const moment =
    steps.expirySeconds(expires) ??
    refuse(
      'expires-malformed',
      `Expires ${JSON.stringify(expires)} is not a count of Unix seconds (§5.4); write 1 to 15 decimal digits`,
    );
  if (!steps.isExpired(moment, now)) return;
  refuse('expired', `the URL expired at ${expires}; the time is ${now} (§5.4); sign a new URL`);
}
