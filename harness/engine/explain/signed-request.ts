/**
 * A recognized request: the section that signs it, the signed values and the sent signature.
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
} from '../../../reference/signing/index.ts';

/** The signature that the request carries. */
export interface Sent {
  /** `undefined` if it cannot be determined. */
  readonly publicKey: string | undefined;
  /** The signature, or the whole value in its place if that cannot be parsed. */
  readonly signature: string;
  /** The signature and the text around it, as `Signed.written`. */
  readonly written: string;
}

interface Recognized {
  readonly dialect: Dialect;
  readonly sent: Sent;
  /** The part of the request that contains bucket and key. */
  readonly origin: { readonly bucket: string; readonly key: string };
  /** Remarks that do not affect the result. */
  readonly notes: readonly string[];
  /** The dialect of the request, if the command line names another one. */
  readonly otherDialect?: Dialect;
  /** Why a server refuses the request, whatever its signature is. */
  readonly fault?: StructuralFault;
}

/** A fault for which a verifier refuses a request with a correct signature. */
export interface StructuralFault {
  readonly reason: string;
  /** One sentence: the fault, the observed value, the rule, the fix. */
  readonly message: string;
}

/** §5.2. For an instant upload, `upload` contains its query parameters. */
export interface HeaderSignedRequest extends Recognized {
  readonly kind: 'header';
  readonly request: FileRequest;
  readonly policy: string;
  /** As it is sent. */
  readonly path: string;
  readonly query: string;
  readonly upload?: InstantUpload;
}

/** §5.4. */
export interface SignedUrl extends Recognized {
  readonly kind: 'url';
  readonly request: PresignedRequest;
  /** As it is sent. */
  readonly path: string;
  readonly query: string;
  /** Whether only a URL was captured, so that the verb is a guess. */
  readonly verbUnknown: boolean;
}

/** §4.3, §5.2. */
export interface SignedForm extends Recognized {
  readonly kind: 'form';
  readonly request: FormRequest;
  /** The origin of its Content-Type. */
  readonly typeOrigin: string;
}

/** §5.1, with the query or the JSON body as it is sent. */
export interface SignedParameters extends Recognized {
  readonly kind: 'parameters';
  readonly form: 'query' | 'json';
  /** Without `Signature`. */
  readonly parameters: ActionParameters;
  readonly carrier: string;
  readonly text: string;
}

export type SignedFileRequest = HeaderSignedRequest | SignedUrl | SignedForm;
export type SignedRequest = SignedFileRequest | SignedParameters;

/** Whether the request contains this public key where one belongs, also without the scheme or in another dialect. */
export function namesPublicKey(signed: SignedRequest, publicKey: string): boolean {
  const { sent, otherDialect: other } = signed;
  return (
    sent.publicKey === publicKey ||
    sent.written.startsWith(`${publicKey}:`) ||
    (other !== undefined && readPublicKey(signed, other) === publicKey)
  );
}

function readPublicKey(signed: SignedRequest, dialect: Dialect): string | undefined {
  const { steps } = SPECIFICATION;
  return signed.kind === 'url'
    ? steps
        .decodedQuery(signed.query, SPECIFICATION)
        ?.find(([name]) => name === dialect.publicKeyParameter)?.[1]
    : steps.parsedAuthorization(signed.sent.written, dialect.scheme, SPECIFICATION)?.publicKey;
}

export interface Signature {
  readonly stringToSign: string;
  readonly signature: string;
  /** The expected value of `Sent.written`. */
  readonly written: string;
}

/**
 * Signs the request.
 *
 * @throws InputError if §5 defines no text for it
 */
export function signRequest(signed: SignedRequest, keys: KeyPair, context: Context): Signature {
  switch (signed.kind) {
    case 'header': {
      const stages = signed.upload
        ? instantUpload(signed.upload, keys, context)
        : authorization(signed.request, keys, context, signed.policy);
      return { ...stages, written: stages.authorization };
    }
    case 'form': {
      const stages = formAuthorization(signed.request, keys, context);
      return { ...stages, written: stages.authorization };
    }
    case 'url': {
      const stages = presignedUrl(signed.request, keys, context);
      const { encodedSignature } = stages;
      return { ...stages, written: urlDecode(encodedSignature) ?? encodedSignature };
    }
    case 'parameters': {
      const stages = actionSignature(signed.parameters, keys.privateKey, context);
      return { ...stages, written: stages.signature };
    }
  }
}

/** A placeholder host for URLs whose bucket is already known. */
const FILE_HOST = 'file-host.invalid';

/** Finds the fault for which a verifier refuses the request before it compares signatures. */
export function findStructuralFault(
  signed: SignedRequest,
  { privateKey }: KeyPair,
  context: Context,
): StructuralFault | undefined {
  if (signed.fault || signed.kind === 'form') return signed.fault;
  const accounts = (publicKey: string): KeyPair => ({ publicKey, privateKey });
  const verification = (() => {
    switch (signed.kind) {
      case 'header':
        return verifyAuthorization(signed.request, accounts, context);
      case 'url': {
        const { bucket, key, method, headers } = signed.request;
        const path = context.steps.filePath(key, context);
        const url = `http://${bucket}.${FILE_HOST}${path}?${signed.query}`;
        const use = { method, url, headers, fileHost: FILE_HOST, now: 0 };
        return verifyPresignedUrl(use, accounts, context);
      }
      case 'parameters':
        return signed.form === 'query'
          ? verifyQuery(signed.text, accounts, context)
          : verifyJson(signed.text, accounts, context);
    }
  })();
  return verification.accepted || verification.reason === 'signature-mismatch'
    ? undefined
    : verification;
}

const RULES: Readonly<Record<string, string>> = {
  'authorization-malformed': '5.2/header-form',
  'expires-malformed': '5.4/expires-text',
  'parameter-repeated': '5.1/repeated-name',
  'public-key-unknown': '5/key-of-account',
  'signature-missing': '4.2/signature-required',
  expired: '5.4/expiry',
};

/** Rules for missing parameters. */
const REQUIRED: Readonly<Record<string, string>> = {
  Action: '4.2/action-required',
  PublicKey: '4.2/public-key-required',
};

const OF_URLS: Readonly<Record<string, string>> = {
  'parameter-missing': '5.4/parameters',
  'parameter-repeated': '5.4/parameters-once',
  'signature-missing': '5.4/parameters',
};

/** The id of the rule behind a refusal; `undefined` if no rule says more than the refusal. */
export function findRefusalRule(
  reason: string,
  message: string,
  isUrl: boolean,
): string | undefined {
  const missing = /^parameter (\S+) is missing/.exec(message)?.[1] ?? '';
  return (isUrl ? OF_URLS[reason] : REQUIRED[missing]) ?? RULES[reason];
}
