/**
 * Checks the form of a client's request apart from its signature: the encoding of a URL, the order of a query, the header
 * of a JSON body (§4.2, §5.2 to §5.4).
 *
 * The server accepts any form that it can read, but the rules of the specification require one form.
 *
 * @module
 */
import {
  type Cause,
  MISTAKES,
  mistaken,
  type StepName,
  touches,
} from '../../../reference/mistakes/index.ts';
import type { SuspectRequest } from '../../../reference/server/messages/judgement.ts';
import { type Context, inDialect, SPECIFICATION } from '../../../reference/signing/index.ts';
import { quote } from '../../engine/excerpt.ts';
import { findHeaderValue } from '../../engine/explain/captured-request.ts';
import type {
  HeaderSignedRequest,
  SignedParameters,
  SignedRequest,
  SignedUrl,
} from '../../engine/explain/signed-request.ts';

/** A rule that the form of a request breaks, with every known mistake that gives exactly this form. */
export interface FormFault {
  readonly rule: string;
  readonly causes: readonly [Cause, ...Cause[]];
}

/** The parts of a request that `SignedRequest` does not have. */
type RequestHead = Pick<SuspectRequest, 'method' | 'headers'>;

/** A part of the request as the client sent it, and how the specification or a mistake writes it. */
interface Part {
  readonly actual: string;
  readonly write: (context: Context) => string;
  /** Replaces the forms that the specification allows by one of them. */
  readonly normalize?: (text: string) => string;
  /** The fault to report if no known mistake gives the actual form. */
  readonly fault: Cause;
}

/** The steps that write a request, and not the signed text. */
const WRITING: ReadonlySet<StepName> = new Set<StepName>([
  'authorizationPieces',
  'authorizationText',
  'authorizationValue',
  'encodedSignature',
  'filePath',
  'instantUploadPath',
  'instantUploadTarget',
  'instantUploadValue',
  'joinQuery',
  'pathKey',
  'pathSegment',
  'queryName',
  'queryPair',
  'queryPairs',
  'querySignature',
  'queryText',
  'queryValue',
  'sentPolicy',
  'sentPublicKey',
  'sentScheme',
  'sentSignature',
  'signedQuery',
  'urlEncode',
]);

const WRITING_MISTAKES = MISTAKES.filter((mistake) => touches(mistake, WRITING));

/** Finds the rules that the form breaks, in the order of the request's parts. */
export function findFormFaults(signed: SignedRequest, head: RequestHead): readonly FormFault[] {
  const context = inDialect(signed.dialect);
  const faults = splitParts(signed).flatMap((part) => findPartFault(part, context));
  const others = signed.kind === 'parameters' ? findParameterFaults(signed, head) : [];
  return [...faults, ...others.map((fault): FormFault => ({ rule: fault.rule, causes: [fault] }))];
}

function splitParts(signed: SignedRequest): readonly Part[] {
  switch (signed.kind) {
    case 'url':
      return urlParts(signed);
    case 'header':
      return headerParts(signed);
    case 'parameters':
      return signed.form === 'query' && signed.carrier === 'query parameter'
        ? queryParts(signed)
        : [];
    case 'form':
      return [];
  }
}

function findPartFault(part: Part, context: Context): readonly FormFault[] {
  const { actual, write, normalize = (text) => text, fault } = part;
  if (normalize(write(context)) === normalize(actual)) return [];
  const fitting = WRITING_MISTAKES.filter((mistake) => {
    try {
      return write(mistaken(context, [mistake])) === actual;
    } catch {
      // A mistake that throws on this text cannot have written it.
      return false;
    }
  });
  // A mistake in this part is more likely than one in every encoded text.
  const ofRule = fitting.filter(({ rule }) => rule === fault.rule);
  const [first = fault, ...others] = ofRule.length > 0 ? ofRule : fitting;
  return [{ rule: fault.rule, causes: [first, ...others] }];
}

/** The three parameters of a pre-signed URL, in any order, and its path (§5.4). */
function urlParts(signed: SignedUrl): readonly Part[] {
  const { query, request, sent, dialect } = signed;
  const key = findRawValue(query, dialect.publicKeyParameter);
  const expires = findRawValue(query, 'Expires');
  return [
    urlSignaturePart(findRawValue(query, 'Signature'), sent.signature),
    {
      actual: key,
      write: ({ steps }) => steps.urlEncode(sent.publicKey ?? ''),
      normalize: normalizePublicKey,
      fault: findEncodingFault(dialect.publicKeyParameter, key),
    },
    {
      actual: expires,
      write: ({ steps }) => steps.urlEncode(request.expires),
      fault: findEncodingFault('Expires', expires),
    },
    pathPart(signed),
  ];
}

/** The value of a parameter as it is sent. */
function findRawValue(query: string, name: string): string {
  const pair = query.split('&').find((piece) => piece.startsWith(`${name}=`));
  return pair?.slice(name.length + 1) ?? '';
}

function urlSignaturePart(actual: string, signature: string): Part {
  return {
    actual,
    write: (context) => context.steps.encodedSignature(signature, context),
    fault: {
      id: 'presigned-signature-encoded-otherwise',
      rule: '5.4/signature-encoded',
      wrong: `the signature is in the URL as ${quote(actual)}`,
      fix: 'percent-encode the Base64 of the signature once, with upper-case digits',
    },
  };
}

function pathPart({ path, request }: SignedUrl): Part {
  return {
    actual: path,
    write: (context) => context.steps.filePath(request.key, context),
    // An escaped slash is allowed too.
    normalize: (text) => text.replaceAll(/%2[Ff]/g, '/'),
    fault: {
      id: 'path-encoded-otherwise',
      rule: '5.4/path-encoded',
      wrong: `the path is written ${quote(path)}`,
      fix: 'write each byte of the key as "%" and two upper-case digits, except "/" and A-Z a-z 0-9 - _ . ~',
    },
  };
}

/** The value of the Authorization header, and the target of an instant upload (§5.2, §4.3). */
function headerParts(signed: HeaderSignedRequest): readonly Part[] {
  const { sent, query, upload } = signed;
  return [
    // Without a public key, the server could not read the header and refused the request.
    ...(sent.publicKey === undefined ? [] : [authorizationPart(signed, sent.publicKey)]),
    ...(upload ? [uploadTargetPart(`/uploadhit?${query}`, upload)] : []),
  ];
}

function authorizationPart(
  { request, sent, policy, dialect }: HeaderSignedRequest,
  publicKey: string,
): Part {
  const [, value = ''] =
    request.headers.find(([name]) => name.trim().toLowerCase() === 'authorization') ?? [];
  return {
    actual: value.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''),
    write: (context) =>
      context.steps.authorizationValue(dialect.scheme, publicKey, sent.signature, policy, context),
    fault: {
      id: 'authorization-written-otherwise',
      rule: '5.2/header-form',
      wrong: `the header Authorization is written ${quote(value)}`,
      fix: `write "${dialect.scheme}", one space, the public key, a colon and the signature on one line`,
    },
  };
}

function uploadTargetPart(
  target: string,
  upload: NonNullable<HeaderSignedRequest['upload']>,
): Part {
  return {
    actual: target,
    write: (context) => context.steps.instantUploadTarget(upload, context),
    normalize: sortQuery,
    fault: {
      id: 'instant-upload-written-otherwise',
      rule: '4.3/instant-upload-target',
      wrong: `the target is written ${quote(target)}`,
      fix: 'send /uploadhit with Hash, FileName and FileSize, each percent-encoded as §5.3 says',
    },
  };
}

/** Every pair of a query, then the query as a whole (§4.2, §5.3). */
function queryParts(signed: SignedParameters): readonly Part[] {
  const { text } = signed;
  const pieces = text.split('&');
  const pairs = SPECIFICATION.steps.decodedQuery(text, SPECIFICATION) ?? [];
  const pairParts = pieces
    .filter((piece) => piece !== '')
    .map((actual, i): Part => {
      const [name, value] = pairs[i] ?? ['', ''];
      return {
        actual,
        write: (context) =>
          name === 'Signature'
            ? `Signature=${value}`
            : context.steps.queryPair(name, value, context),
        ...(name === 'PublicKey' && { normalize: normalizePublicKey }),
        fault: findEncodingFault(name, actual),
      };
    });
  return [...pairParts, ...wholeQueryPart(signed, pieces)];
}

function wholeQueryPart(
  { text, parameters, sent }: SignedParameters,
  pieces: readonly string[],
): readonly Part[] {
  const pairs = parameters.map(([name, value]) => [name, String(value)] as const);
  const write = (context: Context): string =>
    context.steps.signedQuery(pairs, sent.signature, context);
  if (pieces.includes('')) return [{ actual: text, write, fault: EMPTY_PAIR }];
  if (pieces.at(-1)?.startsWith('Signature=')) return [];
  return [{ actual: text, write, fault: SIGNATURE_NOT_LAST }];
}

const EMPTY_PAIR: Cause = {
  id: 'query-with-empty-pair',
  rule: '4.2/query-pairs',
  wrong: 'the query has an empty pair',
  fix: 'write name=value pairs with one "&" between them',
};

const SIGNATURE_NOT_LAST: Cause = {
  id: 'query-signature-not-last',
  rule: '4.2/query-signature-last',
  wrong: 'Signature is not the last parameter of the query',
  fix: 'append Signature after all other parameters',
};

/** Describes the first fault of a percent-encoded text. */
function findEncodingFault(name: string, actual: string): Cause {
  const wrong = `the parameter ${quote(name)} is written ${quote(actual)}`;
  const fault = (id: string, rule: string, fix: string): Cause => ({ id, rule, wrong, fix });
  if (!actual.includes('=') && actual === name) {
    return fault(
      'query-pair-without-value',
      '4.2/query-pairs',
      'write "=" after every name, even if the value is empty',
    );
  }
  if (/%(?:[0-9][a-f]|[a-f][0-9A-Fa-f]|[A-F][a-f])/.test(actual)) {
    return fault('escape-lower-case', '5.3/upper-case', 'write escapes with upper-case digits');
  }
  return /[^A-Za-z0-9\-_.~%=]|=.*=/.test(actual)
    ? fault(
        'escape-left-out',
        '5.3/escaped',
        'write every UTF-8 byte except A-Z a-z 0-9 - _ . ~ as "%" and two upper-case digits',
      )
    : fault('escape-needless', '5.3/unreserved', 'leave A-Z a-z 0-9 - _ . ~ as they are');
}

/** Finds the faults of a JSON body and of a password. */
function findParameterFaults(
  { form, parameters }: SignedParameters,
  { method, headers }: RequestHead,
): readonly Cause[] {
  const type = findHeaderValue(headers, 'Content-Type');
  const nested = parameters.find(([, value]) => isFilledContainer(value))?.[0];
  const password = parameters.find(([name]) => name === 'Password')?.[1];
  const faults: Cause[] = [];
  if (form === 'json' && (method !== 'POST' || !isJsonType(type))) {
    faults.push(toJsonHeadFault(method, type));
  }
  if (nested !== undefined) {
    faults.push({
      id: 'json-nested',
      rule: '5.1/flattening',
      wrong: `the member ${quote(nested)} is sent as an array or an object`,
      fix: 'flatten it before it is signed and sent, as Name.0 and Name.0.Key',
    });
  }
  if (typeof password === 'string' && !isBase64(password)) {
    faults.push({
      id: 'password-not-base64',
      rule: '4.2/password-base64',
      wrong: 'the value of the parameter Password is not Base64',
      fix: 'send the standard Base64 of the password, with its padding, and sign what is sent',
    });
  }
  return faults;
}

function toJsonHeadFault(method: string, type: string | undefined): Cause {
  const observed = type === undefined ? 'without a Content-Type' : `with ${quote(type)}`;
  return {
    id: 'json-without-its-content-type',
    rule: '4.2/json-content-type',
    wrong: `the JSON body is sent by ${method} ${observed}`,
    fix: 'send it by POST with the header "Content-Type: application/json"',
  };
}

function isJsonType(type: string | undefined): boolean {
  return /^application\/json[ \t]*(?:;|$)/i.test(type ?? '');
}

/** Whether a value is an array or an object that is not empty. The sources disagree about empty ones. */
function isFilledContainer(value: SignedParameters['parameters'][number][1]): boolean {
  if (typeof value !== 'object' || value === null || 'number' in value) return false;
  return 'list' in value ? value.list.length > 0 : value.object.length > 0;
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** §5.3 allows "@" and "+" in a public key, escaped or not. */
function normalizePublicKey(text: string): string {
  return text.replaceAll('@', '%40').replaceAll('+', '%2B');
}

/** The parameters of an instant upload may have any order. */
function sortQuery(target: string): string {
  const [path = '', query = ''] = target.split('?', 2);
  return `${path}?${query.split('&').sort().join('&')}`;
}
