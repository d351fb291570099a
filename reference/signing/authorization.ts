/**
 * The `Authorization` header of a file request (§5.2).
 *
 * @module
 */
import { type FileStages, signedFile } from './file-signature.ts';
import type { Context } from './steps.ts';
import type { FileRequest, KeyPair } from './types.ts';

export interface AuthorizationStages extends FileStages {
  readonly authorization: string;
}

/** The header's value: scheme, one space, public key, colon, signature; then a colon and the policy, where there is one. */
export function authorizationValue(
  scheme: string,
  publicKey: string,
  signature: string,
  policy: string,
): string {
  return `${scheme} ${publicKey}:${signature}${policy && `:${policy}`}`;
}

/**
 * Signs a file request: `Svc <PublicKey>:<Signature>` and what led to it.
 *
 * @param policy the callback policy as it is sent, where there is one
 * @throws InputError where §5.2 gives the request no text
 */
export function authorization(
  request: FileRequest,
  keys: KeyPair,
  context: Context,
  policy = '',
): AuthorizationStages {
  const { steps, dialect } = context;
  steps.checkRequest(request, context);
  const stages = signedFile(
    request,
    steps.positionalValues(request, context),
    keys,
    context,
    policy,
  );
  return {
    ...stages,
    authorization: steps.authorizationValue(
      dialect.scheme,
      keys.publicKey,
      stages.signature,
      policy,
    ),
  };
}
