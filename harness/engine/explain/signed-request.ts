/**
 * A recognized request: the section that signs it, the signed values, the sent signature, and the lines of its string to sign.
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
  type HeaderList,
  type InstantUpload,
  instantUpload,
  type KeyPair,
  type Pair,
  type PresignedRequest,
  presignedUrl,
  SPECIFICATION,
  urlDecode,
  verifyAuthorization,
  verifyJson,
  verifyPresignedUrl,
  verifyQuery,
} from '../../../reference/signing/index.ts';
import { groupByKey } from '../group-by-key.ts';
import type { SignedLine } from '../sent-request.ts';
import { findHeaderValue, parseQuery } from './captured-request.ts';

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
  return signed.kind === 'url'
    ? parseQuery(signed.query)?.find(([name]) => name === dialect.publicKeyParameter)?.[1]
    : SPECIFICATION.steps.parsedAuthorization(signed.sent.written, dialect.scheme, SPECIFICATION)
        ?.publicKey;
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

const HIDDEN_KEY = '…<private key>';

/** The string to sign without the private key. It is computed without the key, so that no mistake can reveal it. */
export function redactedText(signed: SignedRequest, context: Context): string {
  return signRequest(signed, { publicKey: '', privateKey: HIDDEN_KEY }, context).stringToSign;
}

/** The lines in order. Joined, they are the string to sign. */
export function listSignedLines(signed: SignedRequest, context: Context): readonly SignedLine[] {
  return signed.kind === 'parameters'
    ? listParameterLines(signed, context)
    : listFileLines(signed, context);
}

function listFileLines(signed: SignedFileRequest, context: Context): readonly SignedLine[] {
  const text = redactedText(signed, context);
  // The first four lines cannot contain a line feed; the key can.
  const [verb = '', md5 = '', type = '', date = ''] = text.split('\n', 4);
  const start = [verb, md5, type, date].reduce((length, line) => length + line.length + 1, 0);
  const { steps } = context;
  const origins = listOrigins(signed);
  const headers = steps.canonicalHeaders(signed.request.headers, context);
  const { bucket, key } = signed.request;
  const resource = steps.canonicalResource(bucket, key, context);
  const policy = text.slice(start + headers.length + resource.length);
  return [
    { name: 'verb', text: `${verb}\n`, origin: origins.verb },
    { name: 'Content-MD5', text: `${md5}\n`, origin: origins.md5 },
    { name: 'Content-Type', text: `${type}\n`, origin: origins.type },
    {
      name: signed.kind === 'url' ? 'Expires' : 'Date',
      text: `${date}\n`,
      origin: origins.date,
    },
    ...listExtraLines(headers, signed.request.headers),
    {
      name: 'resource',
      text: resource,
      origin: `bucket: ${signed.origin.bucket}; key: ${signed.origin.key}`,
    },
    ...(policy === '' ? [] : [{ name: 'policy', text: policy, origin: 'header Authorization' }]),
  ];
}

/** The origins of the lines before the extra headers. */
function listOrigins(signed: SignedFileRequest) {
  if (signed.kind === 'url') {
    const verb = signed.verbUnknown ? 'the URL alone does not say it' : 'request line';
    const empty = 'empty in a pre-signed URL';
    return { verb, md5: empty, type: empty, date: 'query parameter Expires' };
  }
  const has = (name: string): boolean =>
    findHeaderValue(signed.request.headers, name) !== undefined;
  const header = (name: string): string => `${has(name) ? '' : 'no '}header ${name}`;
  const own = { verb: 'request line', md5: header('Content-MD5'), date: header('Date') };
  if (signed.kind === 'header') return { ...own, type: header('Content-Type') };
  const isField = signed.request.fields.some(([name]) => name === 'Content-MD5');
  const md5 = isField && !has('Content-MD5') ? 'form field Content-MD5' : own.md5;
  return { ...own, verb: 'a form is sent by POST', md5, type: signed.typeOrigin };
}

/** The extra headers with their spelling in the request, and how their values were changed. */
function listExtraLines(text: string, headers: HeaderList): readonly SignedLine[] {
  // Searching thousands of headers for each name would take quadratic time.
  const sent = groupByKey(headers.map((header) => [header[0].trim().toLowerCase(), header]));
  const entries = text.split('\n').slice(0, -1);
  return entries.map((entry) => {
    const own = sent.get(entry.slice(0, entry.indexOf(':'))) ?? [];
    const spellings = [...new Set(own.map(([n]) => n.trim()))].join(', ');
    const times = own.length > 1 ? `, ${own.length} times, merged` : '';
    const folded = own.some(([, value]) => value.includes('\n')) ? ', unfolded' : '';
    return {
      name: 'extra header',
      text: `${entry}\n`,
      origin: `header ${spellings}${times}${folded}`,
    };
  });
}

function listParameterLines(signed: SignedParameters, context: Context): readonly SignedLine[] {
  const { steps } = context;
  const parameters = steps
    .flattened(signed.parameters, context)
    .map(([name, value]): Pair => [name, steps.valueText(value, context)])
    .sort(([a], [b]) => steps.compareParameterNames(a, b));
  const names = new Set(signed.parameters.map(([name]) => name));
  const entries = parameters.map(([name, text]) => ({
    name,
    text: steps.parameterEntry(name, text),
    origin: parameterOrigin(signed.carrier, names, name),
  }));
  return [...entries, { name: 'private key', text: HIDDEN_KEY, origin: 'the key pair' }];
}

function parameterOrigin(carrier: string, names: ReadonlySet<string>, name: string): string {
  if (names.has(name)) return `${carrier} ${name}`;
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const own = name.slice(0, dot);
    if (names.has(own)) return `${carrier} ${own}, flattened`;
  }
  return `${carrier} ${name}, flattened`;
}
