/**
 * The signature of a form upload, which is one of its fields (§4.3, §5.2).
 *
 * @module
 */

import { type Context, formAuthorization, type KeyPair, type Pair } from '../../signing/index.ts';
import type { FileStages } from '../../signing/types.ts';
import { accept, catchRefusal, refuse } from '../../signing/verifiers.ts';
import { headerValue, type WireRequest } from '../messages/exchange.ts';
import { refusePolicy } from './file.ts';
import {
  type BucketJudgement,
  type Candidates,
  judgeBuckets,
  type Signature,
  toSuspect,
} from './judge.ts';
import type { FileOperation, Service, SignedForm } from './service.ts';

/** Judges a form by its fields. Ignores the Authorization header, because the SDK for PHP sends one that signs another text. */
export function judgeForm(
  service: Service,
  wire: WireRequest,
  form: SignedForm,
  operation: FileOperation,
  candidates: Candidates,
): BucketJudgement {
  const { context } = service;
  const written = form.fields.filter(([name]) => name === 'Authorization').map(([, text]) => text);
  const { scheme } = context.dialect;
  const parts = context.steps.parsedAuthorization(written[0] ?? '', scheme, context);
  const refusal = refusePolicy(service, { operation, method: wire.method }, parts?.policy ?? '');
  const signatureFor = (bucket: string): Signature => ({
    signedIn: 'form',
    publicKey: parts?.publicKey,
    refusal,
    verify: (accounts, own) =>
      catchRefusal(() => {
        if (written.length !== 1 || !parts) return refuseUnreadable(written, context);
        const { publicKey, signature, policy } = parts;
        const fields = withFileType(form);
        const request = { bucket, key: form.key, headers: wire.headers, fields };
        const sign = (keys: KeyPair): readonly FileStages[] => [
          formAuthorization(request, keys, withPolicy(own, policy)),
        ];
        return accept(publicKey, signature, accounts, own, sign, 'form');
      }),
    suspect: toSuspect(wire, bucket, bodyWithoutFile(wire, form)),
  });
  return judgeBuckets(service, signatureFor, candidates);
}

/** The fields with the signed Content-Type. Most SDKs send no field Content-Type; then the Content-Type of the file part is signed. */
function withFileType({ fields, fileType }: SignedForm): readonly Pair[] {
  const hasType = fields.some(([name]) => name === 'Content-Type');
  return hasType || fileType === undefined ? fields : [...fields, ['Content-Type', fileType]];
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

function refuseUnreadable(written: readonly string[], { dialect }: Context): never {
  const [value = '', ...others] = written;
  if (written.length === 0) {
    refuse(
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
