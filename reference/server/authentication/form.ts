/**
 * The signature of a form upload, which stands among its fields (§4.3, §5.2).
 *
 * @module
 */
import {
  type Context,
  formAuthorization,
  InputError,
  type Pair,
  type Refusal,
  type Verification,
} from '../../signing/index.ts';
import type { FileOperation, Service, SignedForm } from '../service.ts';
import { headerOf, type WireRequest } from '../wire-request.ts';
import type { BucketJudgement, Candidates } from './candidates.ts';
import { judgedSignature, suspectOf } from './file.ts';
import type { Signature } from './judging.ts';
import { policyRefusal } from './moved-texts.ts';

/** Judges a form by its fields; a header Authorization is not looked at, as the SDK for PHP sends one that is signed otherwise. */
export function judgedForm(
  service: Service,
  wire: WireRequest,
  form: SignedForm,
  operation: FileOperation,
  candidates: Candidates,
): BucketJudgement {
  return judgedSignature(
    service,
    (bucket) => signatureOf(service, wire, bucket, form, operation),
    candidates,
  );
}

/** The type of the file's part stands in for a field Content-Type, as most SDKs have none. */
function withFileType({ fields, fileType }: SignedForm): readonly Pair[] {
  const hasType = fields.some(([name]) => name === 'Content-Type');
  return hasType || fileType === undefined ? fields : [...fields, ['Content-Type', fileType]];
}

function signatureOf(
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
    variants: [],
    refusal: policyRefusal(service, { operation, method: wire.method }, parts?.policy ?? ''),
    verify: (accounts, own): Verification<unknown> => {
      if (written.length !== 1 || !parts) return unreadable(written, context);
      const keys = accounts(parts.publicKey);
      if (!keys) return unknownKey(parts.publicKey);
      const request = { bucket, key: form.key, headers: wire.headers, fields: withFileType(form) };
      try {
        const right = formAuthorization(request, keys, withPolicy(own, parts.policy));
        return own.steps.sameText(right.signature, parts.signature)
          ? { accepted: true, publicKey: parts.publicKey, stages: right }
          : mismatch(parts.signature);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        return { accepted: false, reason: error.code, message: error.message };
      }
    },
    suspect: suspectOf(wire, bucket, bodyText(wire, form)),
  };
}

/** A callback policy ends the text of a form too, as the SDK for JavaScript sends it. */
function withPolicy(context: Context, policy: string): Context {
  const { steps } = context;
  return {
    ...context,
    steps: { ...steps, signedPolicy: () => policy },
  };
}

/** The body with an empty file in the place of the one that is not read yet. */
function bodyText(wire: WireRequest, { fields, fileType }: SignedForm): string {
  const type = headerOf(wire, 'Content-Type') ?? '';
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

const refused = (reason: Refusal['reason'], message: string): Refusal => ({
  accepted: false,
  reason,
  message,
});

function unreadable(written: readonly string[], { dialect }: Context): Refusal {
  const [value = '', ...others] = written;
  if (written.length === 0) {
    return refused(
      'authorization-missing',
      'the form has no field Authorization before its file; §4.3 signs a form in it; sign the form',
    );
  }
  const observed = others.length > 0 ? `sent ${written.length} times` : JSON.stringify(value);
  return refused(
    'authorization-malformed',
    `the form field Authorization is ${observed}; §5.2 writes it once, as "${dialect.scheme} <PublicKey>:<Signature>"`,
  );
}

function unknownKey(publicKey: string): Refusal {
  return refused(
    'public-key-unknown',
    `public key ${JSON.stringify(publicKey)} belongs to no account here; use the key of an account (§1)`,
  );
}

function mismatch(received: string): Refusal {
  return refused(
    'signature-mismatch',
    `signature ${JSON.stringify(received)} is not the one of this form and account (§7 E1); compare the string to sign`,
  );
}
