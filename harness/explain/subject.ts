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
  SPECIFICATION,
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
  /** The dialect in whose words it is written, where the command line names another. */
  readonly otherDialect?: Dialect;
  /** Why a server refuses it, whatever its signature is. */
  readonly fault?: StructuralFault;
}

/** What keeps a verifier from accepting a request even where its signature is right. */
export interface StructuralFault {
  readonly reason: string;
  /** One sentence: what, observed, rule, way out. */
  readonly message: string;
}

/** The member of a subject, where there is one. */
export function otherDialect(dialect: Dialect | undefined): Pick<Subject, 'otherDialect'> {
  return dialect ? { otherDialect: dialect } : {};
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

/** Whether the request names this public key in the place of one, also without the scheme or in another dialect. */
export function namesPublicKey(subject: Subject, publicKey: string): boolean {
  const { sent, otherDialect: other } = subject;
  return (
    sent.publicKey === publicKey ||
    sent.written.startsWith(`${publicKey}:`) ||
    (other !== undefined && publicKeyIn(subject, other) === publicKey)
  );
}

function publicKeyIn(subject: Subject, dialect: Dialect): string | undefined {
  const { steps } = SPECIFICATION;
  return subject.kind === 'url'
    ? steps
        .decodedQuery(subject.query, SPECIFICATION)
        ?.find(([name]) => name === dialect.publicKeyParameter)?.[1]
    : steps.parsedAuthorization(subject.sent.written, dialect.scheme, SPECIFICATION)?.publicKey;
}

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

/** What a verifier refuses the request for before it compares signatures. */
export function structuralFault(
  subject: Subject,
  { privateKey }: KeyPair,
  context: Context,
): StructuralFault | undefined {
  if (subject.fault || subject.kind === 'form') return subject.fault;
  const accounts = (publicKey: string): KeyPair => ({ publicKey, privateKey });
  const verification = (() => {
    switch (subject.kind) {
      case 'header':
        return verifyAuthorization(subject.request, accounts, context);
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
  return verification.accepted || verification.reason === 'signature-mismatch'
    ? undefined
    : verification;
}
