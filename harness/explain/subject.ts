/**
 * A captured request as what it is: which part of the specification signs it, from what, and what it carries.
 *
 * @module
 */
import {
  type ActionParameters,
  actionSignature,
  authorization,
  type Context,
  type Dialect,
  type FileRequest,
  type FormRequest,
  formAuthorization,
  type InstantUpload,
  instantUpload,
  type KeyPair,
  type PresignedRequest,
  presignedUrl,
  urlDecode,
  verifyAuthorization,
  verifyJson,
  verifyPresignedUrl,
  verifyQuery,
} from '../../reference/signing/index.ts';

/** What the request carries. */
export interface Sent {
  /** Nothing where it cannot be made out. */
  readonly publicKey: string | undefined;
  /** The signature, or where it cannot be made out, all that stands in its place. */
  readonly signature: string;
  /** The signature with what it is written with, as `Signed.written`. */
  readonly written: string;
}

interface Recognized {
  readonly dialect: Dialect;
  readonly sent: Sent;
  /** Where bucket and key stand in the request. */
  readonly origin: { readonly bucket: string; readonly key: string };
  /** What is worth knowing and decides nothing. */
  readonly notes: readonly string[];
}

/** §5.2; of an instant upload, `upload` holds what its query says. */
export interface HeaderSubject extends Recognized {
  readonly kind: 'header';
  readonly request: FileRequest;
  readonly policy: string;
  /** As it is sent. */
  readonly path: string;
  readonly query: string;
  readonly upload?: InstantUpload;
}

/** §5.4. */
export interface UrlSubject extends Recognized {
  readonly kind: 'url';
  readonly request: PresignedRequest;
  /** As it is sent. */
  readonly path: string;
  readonly query: string;
  /** Only a URL was captured, so the verb is a guess. */
  readonly verbUnknown: boolean;
}

/** §4.3, §5.2. */
export interface FormSubject extends Recognized {
  readonly kind: 'form';
  readonly request: FormRequest;
  /** Where its Content-Type stands. */
  readonly typeOrigin: string;
  /** What keeps it from being signed at all. */
  readonly fault?: string;
}

/** §5.1, with the query or the JSON body as it is sent. */
export interface ParametersSubject extends Recognized {
  readonly kind: 'parameters';
  readonly form: 'query' | 'json';
  /** Without `Signature`. */
  readonly parameters: ActionParameters;
  readonly carrier: string;
  readonly text: string;
}

export type FileSubject = HeaderSubject | UrlSubject | FormSubject;
export type Subject = FileSubject | ParametersSubject;

export interface Signed {
  readonly stringToSign: string;
  readonly signature: string;
  /** What the request should have in the place of what it carries. */
  readonly written: string;
}

/**
 * Signs the request.
 *
 * @throws InputError where §5 gives it no text
 */
export function signed(subject: Subject, keys: KeyPair, context: Context): Signed {
  switch (subject.kind) {
    case 'header': {
      const stages = subject.upload
        ? instantUpload(subject.upload, keys, context)
        : authorization(subject.request, keys, context, subject.policy);
      return { ...stages, written: stages.authorization };
    }
    case 'form': {
      const stages = formAuthorization(subject.request, keys, context);
      return { ...stages, written: stages.authorization };
    }
    case 'url': {
      const stages = presignedUrl(subject.request, keys, context);
      const { encodedSignature } = stages;
      return { ...stages, written: urlDecode(encodedSignature) ?? encodedSignature };
    }
    case 'parameters': {
      const stages = actionSignature(subject.parameters, keys.privateKey, context);
      return { ...stages, written: stages.signature };
    }
  }
}

/** A host that no request has, for URLs whose bucket is known from elsewhere. */
const FILE_HOST = 'file-host.invalid';

/** What keeps a verifier from even comparing signatures, in its words. */
export function structuralFault(
  subject: Subject,
  { privateKey }: KeyPair,
  context: Context,
): string | undefined {
  const accounts = (publicKey: string): KeyPair => ({ publicKey, privateKey });
  const verification = (() => {
    switch (subject.kind) {
      case 'header':
        return verifyAuthorization(subject.request, accounts, context);
      case 'form':
        return undefined;
      case 'url': {
        const { bucket, key, method, headers } = subject.request;
        const path = context.steps.filePath(key, context);
        const url = `http://${bucket}.${FILE_HOST}${path}?${subject.query}`;
        const use = { method, url, headers, fileHost: FILE_HOST, now: 0 };
        return verifyPresignedUrl(use, accounts, context);
      }
      case 'parameters':
        return subject.form === 'query'
          ? verifyQuery(subject.text, accounts, context)
          : verifyJson(subject.text, accounts, context);
    }
  })();
  if (subject.kind === 'form') return subject.fault;
  if (!verification || verification.accepted) return undefined;
  return verification.reason === 'signature-mismatch' ? undefined : verification.message;
}
