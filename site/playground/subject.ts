/**
 * Converts the input of the user to a question for the reference and a request for `explain`.
 *
 * @module
 */

import { parseDialect } from '../../harness/engine/dialects.ts';
import { UsageError } from '../../harness/engine/errors.ts';
import {
  type CapturedRequest,
  type Hints,
  parseCapture,
  parseTarget,
} from '../../harness/engine/explain/captured-request.ts';
import { recognizeRequest } from '../../harness/engine/explain/recognition.ts';
import type {
  HeaderSignedRequest,
  Sent,
  SignedRequest,
} from '../../harness/engine/explain/signed-request.ts';
import type { Dialect } from '../../harness/engine/protocol.ts';
import type { Input } from '../../harness/engine/vector.ts';
import { isVerifier } from '../../reference/operations.ts';
import {
  type ActionParameters,
  actionSignature,
  type HeaderList,
  inDialect,
  type Pair,
  SPECIFICATION,
  urlEncode,
} from '../../reference/signing/index.ts';
import type { State } from './state.ts';

export interface Subject {
  readonly operation: string;
  readonly input: Input;
  readonly dialect: Dialect;
  /** The request for `explain`; `undefined` without a signature. */
  readonly signed: SignedRequest | undefined;
  /** The value that the user got, of an operation that signs nothing. */
  readonly value?: string;
}

/** @throws UsageError if the pasted text is not a signed request, or the dialect is invalid */
export function findSubject(state: State, hide: (text: string) => string): Subject {
  if (state.mode === 'paste') return readPasted(state, hide);
  const { operation, input } = state;
  const dialect = parseDialect(state.dialect || 'svc');
  const value = readValue(state);
  return {
    operation,
    input,
    dialect,
    signed: toSigned(state, dialect),
    ...(value !== undefined && { value }),
  };
}

// --- A pasted request

function readPasted(state: State, hide: (text: string) => string): Subject {
  const captured = parseCapture(state.capture, hide);
  const signed = recognizeWith(captured, state.received.trim(), {
    ...(state.dialect !== '' && { dialect: parseDialect(state.dialect) }),
    ...(state.bucket !== '' && { bucket: state.bucket }),
    ...(state.fileHost !== '' && { fileHost: state.fileHost.replace(/^\./, '') }),
  });
  return { ...toQuestion(signed, captured), dialect: signed.dialect, signed };
}

/** The pasted request. A signature that the user entered replaces the one in the request. */
function recognizeWith(captured: CapturedRequest, received: string, hints: Hints): SignedRequest {
  if (received === '') return recognizeRequest(captured, hints);
  try {
    const signed = recognizeRequest(captured, hints);
    const { publicKey = '' } = signed.sent;
    return { ...signed, sent: readReceived(signed.kind, received, publicKey, signed.dialect) };
  } catch (error) {
    if (!received.includes(':')) throw error;
    const headers: HeaderList = [...captured.headers, ['Authorization', received]];
    return recognizeRequest({ ...captured, headers }, hints);
  }
}

function toQuestion(
  signed: SignedRequest,
  captured: CapturedRequest,
): Pick<Subject, 'operation' | 'input'> {
  switch (signed.kind) {
    case 'parameters': {
      const operation = signed.form === 'query' ? 'action-query' : 'action-json';
      return { operation, input: { parameters: signed.parameters } };
    }
    case 'form':
      return { operation: 'form-authorization', input: { ...signed.request } };
    case 'url':
      return { operation: 'presigned-url', input: { ...signed.request, ...findHost(captured) } };
    case 'header': {
      const { upload, policy, request } = signed;
      if (upload) return { operation: 'instant-upload', input: { ...upload } };
      if (policy === '') return { operation: 'authorization', input: { ...request } };
      return { operation: 'policy-authorization', input: { ...request, policy } };
    }
  }
}

/** The scheme and the host of a pre-signed URL, which are not signed. */
function findHost(captured: CapturedRequest) {
  const { host } = parseTarget(captured);
  const scheme = /^http:/i.test(captured.target) ? 'http' : 'https';
  return { scheme, fileHost: host.slice(host.indexOf('.') + 1) || 'file-host.invalid' };
}

// --- A request of the form

type Build = (state: State, dialect: Dialect) => SignedRequest | undefined;

const ORIGIN = { bucket: 'the form', key: 'the form' };

const header =
  (complete: (own: HeaderSignedRequest, input: Input) => SignedRequest): Build =>
  ({ operation, input, received, publicKey }, dialect) => {
    const { method = 'POST', bucket = '', key = '', headers = [] } = input;
    const path = SPECIFICATION.steps.filePath(key, inDialect(dialect));
    const kind = operation === 'form-authorization' ? 'form' : 'header';
    const sent = readReceived(kind, received, publicKey, dialect, String(input['policy'] ?? ''));
    const authorization = ['Authorization', sent.written] as const;
    const request = { method, bucket, key, headers: [...headers, authorization] };
    const place = { path, query: '', origin: ORIGIN, notes: [] };
    return complete({ kind: 'header', dialect, request, policy: '', ...place, sent }, input);
  };

const presigned: Build = ({ input, received, publicKey }, dialect) => {
  const context = inDialect(dialect);
  const { method = 'GET', bucket = '', key = '', headers = [], expires = '' } = input;
  const { scheme = 'https', fileHost = '' } = input;
  const request = { method, bucket, key, headers, expires, scheme, fileHost };
  const sent = readReceived('url', received, publicKey, dialect);
  const own: readonly Pair[] = [
    [dialect.publicKeyParameter, urlEncode(publicKey)],
    ['Expires', request.expires],
    ['Signature', urlEncode(sent.signature)],
  ];
  return {
    kind: 'url',
    dialect,
    request,
    path: context.steps.filePath(request.key, context),
    query: context.steps.presignedQuery(own, context),
    verbUnknown: false,
    sent,
    origin: ORIGIN,
    notes: [],
  };
};

const action: Build = ({ input, received, publicKey }, dialect) => {
  const { parameters = [] } = input;
  const sent = readReceived('parameters', received, publicKey, dialect);
  const text = formatQuery(parameters, sent.signature);
  const carrier = 'parameter';
  const origin = { bucket: '', key: '' };
  return {
    kind: 'parameters',
    form: 'query',
    dialect,
    parameters,
    carrier,
    text,
    sent,
    origin,
    notes: [],
  };
};

/** The query with which the parameters are sent. */
function formatQuery(parameters: ActionParameters, signature: string): string {
  try {
    const { sortedParameters } = actionSignature(parameters, '', SPECIFICATION);
    return SPECIFICATION.steps.signedQuery(sortedParameters, signature, SPECIFICATION);
  } catch {
    // If no correct signature exists, explain reports the reason before it compares texts.
    return '';
  }
}

/** A captured request; without headers and a body, it has none. */
type Captured = Pick<CapturedRequest, 'method' | 'target'> & Partial<CapturedRequest>;

/** A request to verify, if explain can parse it. For others, the verifier reports the reason of the refusal. */
const verified =
  (capture: (input: Input) => Captured): Build =>
  ({ input }, dialect) => {
    const { bucket, fileHost } = input;
    const hints = {
      dialect,
      ...(bucket !== undefined && { bucket }),
      ...(fileHost !== undefined && { fileHost }),
    };
    try {
      return recognizeRequest({ headers: [], body: '', ...capture(input) }, hints);
    } catch (error) {
      if (error instanceof UsageError) return undefined;
      throw error;
    }
  };

const BUILD: Readonly<Record<string, Build>> = {
  authorization: header((own) => own),
  'policy-authorization': header((own, { policy = '' }) => ({ ...own, policy })),
  'form-authorization': header(({ dialect, sent, origin, notes }, input) => {
    const { bucket = '', key = '', headers = [], fields = [] } = input;
    const request = { bucket, key, headers, fields };
    const typeOrigin = 'form field Content-Type';
    return { kind: 'form', dialect, request, typeOrigin, sent, origin, notes };
  }),
  'instant-upload': header((own, input) => {
    const { bucket = '', key = '', headers = [], etag = '', size = '' } = input;
    return { ...own, upload: { bucket, key, headers, etag, size } };
  }),
  'presigned-url': presigned,
  'action-signature': action,
  'action-query': action,
  'bucket-request': action,
  'action-json': action,
  'verify-authorization': verified(({ method, key, headers = [] }) => ({
    method: String(method),
    target: SPECIFICATION.steps.filePath(String(key), SPECIFICATION),
    headers,
  })),
  'verify-presigned-url': verified(({ method, url, headers = [] }) => ({
    method: String(method),
    target: String(url),
    headers,
  })),
  'verify-query': verified(({ query }) => ({ method: 'GET', target: `/?${query}` })),
  'verify-json': verified(({ body }) => ({ method: 'POST', target: '/', body: String(body) })),
};

/** What the user got and enters separately; a request to verify contains its signature. */
export function findReceivable(operation: string): 'signature' | 'value' | undefined {
  if (isVerifier(operation)) return undefined;
  return operation in BUILD ? 'signature' : 'value';
}

/** The value that the user got, without the quotes of an ETag header. */
function readValue({ operation, received }: State): string | undefined {
  const text = received.trim();
  if (text === '' || findReceivable(operation) !== 'value') return undefined;
  return operation.endsWith('etag') ? text.replace(/^"(.*)"$/, '$1') : text;
}

function toSigned(state: State, dialect: Dialect): SignedRequest | undefined {
  const { operation, received } = state;
  if (findReceivable(operation) === 'signature' && received.trim() === '') return undefined;
  return BUILD[operation]?.(state, dialect);
}

// --- The signature that the user got

/** Reads a signature, or the header, URL, query or body that contains it. */
function readReceived(
  kind: SignedRequest['kind'],
  text: string,
  publicKey: string,
  dialect: Dialect,
  policy = '',
): Sent {
  const received = text.trim();
  if (kind === 'url' || kind === 'parameters') {
    const signature = findSignature(received);
    return { publicKey, signature, written: signature };
  }
  const value = received.replace(/^authorization:\s*/i, '');
  const { steps } = SPECIFICATION;
  if (!/[\s:]/.test(value)) {
    const context = inDialect(dialect);
    const parts = steps.authorizationValue(dialect.scheme, publicKey, value, policy, context);
    return { publicKey, signature: value, written: steps.authorizationText(parts) };
  }
  const parts = steps.parsedAuthorization(value, dialect.scheme, SPECIFICATION);
  return { publicKey: parts?.publicKey, signature: parts?.signature ?? value, written: value };
}

/** The signature in a URL, a query or a JSON body, or the text itself. */
function findSignature(text: string): string {
  const [, inJson] = /"Signature"\s*:\s*"([^"]*)"/.exec(text) ?? [];
  const [, inQuery] = /(?:^|[?&])Signature=([^&#]*)/.exec(text) ?? [];
  const found = inQuery ?? (/%[0-9A-Fa-f]{2}/.test(text) ? text : undefined);
  if (found === undefined) return inJson ?? text;
  const { steps } = SPECIFICATION;
  return steps.decodedQuery(`s=${found}`, SPECIFICATION)?.[0]?.[1] ?? found;
}
