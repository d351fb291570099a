/**
 * The signature of a form upload, which is one of its fields (§4.3, §5.2).
 *
 * @module
 */

import {
  type Context,
  type FormRequest,
  formAuthorization,
  InputError,
  type KeyPair,
  type Pair,
  type Refusal,
  type Verification,
} from '../../signing/index.ts';
import type { ParsedAuthorization } from '../../signing/verification.ts';
import { headerValue, type WireRequest } from '../messages/exchange.ts';
import { judgeForCandidates, refusePolicy, toSuspect } from './file.ts';
import type { BucketJudgement, Candidates, Signature } from './judge.ts';
import type { FileOperation, Service, SignedForm } from './service.ts';

/** Judges a form by its fields. Ignores the Authorization header, because the SDK for PHP sends one that signs another text. */
export function judgeForm(
  service: Service,
  wire: WireRequest,
  form: SignedForm,
  operation: FileOperation,
  candidates: Candidates,
): BucketJudgement {
  return judgeForCandidates(
    service,
    (bucket) => formSignature(service, wire, bucket, form, operation),
    candidates,
  );
}

/** The fields with the signed Content-Type. Most SDKs send no field Content-Type; then the Content-Type of the file part is signed. */
function withFileType({ fields, fileType }: SignedForm): readonly Pair[] {
  const hasType = fields.some(([name]) => name === 'Content-Type');
  return hasType || fileType === undefined ? fields : [...fields, ['Content-Type', fileType]];
}

function formSignature(
  service: Service,
  wire: WireRequest,
  bucket: string,
  form: SignedForm,
  operation: FileOperation,
): Signature {
  const { context } = service;
  const written = form.fields.filter(([name]) => name === 'Authorization').map(([, text]) => text);
  const parts = context.steps.parsedAuthorization(
    written[0] ?? '',
    context.dialect.scheme,
    context,
  );
  return {
    signedIn: 'form',
    publicKey: parts?.publicKey,
    variants: () => [],
    refusal: refusePolicy(service, { operation, method: wire.method }, parts?.policy ?? ''),
    verify: (accounts, own): Verification<unknown> => {
      if (written.length !== 1 || !parts) return refuseUnreadable(written, context);
      const keys = accounts(parts.publicKey);
      if (!keys) return refuseUnknownKey(parts.publicKey);
      const request = { bucket, key: form.key, headers: wire.headers, fields: withFileType(form) };
      return verifyForm(request, parts, keys, own);
    },
    suspect: toSuspect(wire, bucket, bodyWithoutFile(wire, form)),
  };
}

function verifyForm(
  request: FormRequest,
  { publicKey, signature, policy }: ParsedAuthorization,
  keys: KeyPair,
  context: Context,
): Verification<unknown> {
  try {
    const right = formAuthorization(request, keys, withPolicy(context, policy));
    return context.steps.sameText(right.signature, signature)
      ? { accepted: true, publicKey, stages: right }
      : refuseMismatch(signature);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { accepted: false, reason: error.code, message: error.message };
  }
}

/** Adds the policy to the end of the signed text, because the SDK for JavaScript also signs a callback policy with a form. */
function withPolicy(context: Context, policy: string): Context {
  const { steps } = context;
  return {
    ...context,
    steps: { ...steps, signedPolicy: () => policy },
  };
}

/** The body with an empty file, because the real file is not read yet. */
function bodyWithoutFile(wire: WireRequest, { fields, fileType }: SignedForm): string {
  const type = headerValue(wire, 'Content-Type') ?? '';
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type) ?? [];
  const boundary = quoted ?? bare ?? '';
  const part = (name: string, more: string, text: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name.replaceAll(/["\r\n]/g, '_')}"${more}\r\n\r\n${text}\r\n`;
  const ofFile = fileType === undefined ? '' : `\r\nContent-Type: ${fileType}`;
  const parts = [
    ...fields.map(([name, text]) => part(name, '', text)),
    part('file', `; filename="file"${ofFile}`, ''),
  ];
  return `${parts.join('')}--${boundary}--\r\n`;
}

const refuse = (reason: Refusal['reason'], message: string): Refusal => ({
  accepted: false,
  reason,
  message,
});

function refuseUnreadable(written: readonly string[], { dialect }: Context): Refusal {
  const [value = '', ...others] = written;
  if (written.length === 0) {
    return refuse(
      'authorization-missing',
      'the form has no field Authorization before its file; §4.3 puts the signature there; sign the form',
    );
  }
  const observed = others.length > 0 ? `sent ${written.length} times` : JSON.stringify(value);
  return refuse(
    'authorization-malformed',
    `the form field Authorization is ${observed}; §5.2 allows one; write it as "${dialect.scheme} <PublicKey>:<Signature>"`,
  );
}

function refuseUnknownKey(publicKey: string): Refusal {
  return refuse(
    'public-key-unknown',
    `public key ${JSON.stringify(publicKey)} belongs to no account here; use the key of an account (§1)`,
  );
}

function refuseMismatch(received: string): Refusal {
  return refuse(
    'signature-mismatch',
    `signature ${JSON.stringify(received)} does not match this form and account (§7 E1); compare the string to sign`,
  );
}
