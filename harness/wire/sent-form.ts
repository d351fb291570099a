/**
 * The form in which a client sent a request, beside its signature: the encoding of a URL, the order of a query, the
 * header of a JSON body (§4.2, §5.2 to §5.4).
 *
 * The server takes what it can read; the rules that `run` judges say how it is written.
 *
 * @module
 */
import { MISTAKES, mistaken, type StepName, touches } from '../../reference/mistakes/index.ts';
import { type Context, inDialect, SPECIFICATION } from '../../reference/signing/index.ts';
import type { Explanation, Fault } from '../explain/cause.ts';
import type { HeaderSubject, ParametersSubject, Subject, UrlSubject } from '../explain/subject.ts';
import { headerValue } from '../explain/target.ts';
import { visible } from '../report/excerpt.ts';

/** One rule that the form of a request breaks, with every known mistake that breaks it in this very way. */
export interface FormFault {
  readonly rule: string;
  readonly explanations: readonly Explanation[];
}

/** What is sent besides the subject. */
export interface SentHead {
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** A part of the request as it is sent, and as the specification, or a mistake, writes it. */
interface Part {
  readonly actual: string;
  readonly write: (context: Context) => string;
  /** Brings what the specification leaves open into one form. */
  readonly even?: (text: string) => string;
  /** Where no known mistake writes it as it is sent. */
  readonly fault: Fault;
}

/** The steps that write a request, and not what is signed. */
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

/** The rules that the form breaks, in the order of the request. */
export function formFaults(subject: Subject, head: SentHead): readonly FormFault[] {
  const context = inDialect(subject.dialect);
  const faults = partsOf(subject).flatMap((part) => faultOf(part, context));
  const others = subject.kind === 'parameters' ? parameterFaults(subject, head) : [];
  return [
    ...faults,
    ...others.map((fault) => ({ rule: fault.rule, explanations: [explanationOf(fault)] })),
  ];
}

function partsOf(subject: Subject): readonly Part[] {
  switch (subject.kind) {
    case 'url':
      return urlParts(subject);
    case 'header':
      return headerParts(subject);
    case 'parameters':
      return subject.form === 'query' && subject.carrier === 'query parameter'
        ? queryParts(subject)
        : [];
    case 'form':
      return [];
  }
}

function faultOf(part: Part, context: Context): readonly FormFault[] {
  const { actual, write, even = (text) => text, fault } = part;
  if (even(write(context)) === even(actual)) return [];
  const fitting = WRITING_MISTAKES.filter((mistake) => {
    try {
      return write(mistaken(context, [mistake])) === actual;
    } catch {
      // A mistake that breaks on this text was not made.
      return false;
    }
  });
  // A mistake in this very part is likelier than one in every text that is encoded.
  const own = fitting.filter(({ rule }) => rule === fault.rule);
  const known = (own.length > 0 ? own : fitting).map(
    ({ id, rule, wrong, fix }): Fault => ({ id, rule, cause: wrong, fix }),
  );
  const faults = known.length > 0 ? known : [fault];
  return [{ rule: fault.rule, explanations: faults.map(explanationOf) }];
}

function explanationOf(fault: Fault): Explanation {
  return { faults: [fault], text: '' };
}

/** The three parameters of a pre-signed URL, whatever their order, and its path (§5.4). */
function urlParts({ query, path, request, sent, dialect }: UrlSubject): readonly Part[] {
  const raw = (name: string): string =>
    query
      .split('&')
      .find((piece) => piece.startsWith(`${name}=`))
      ?.slice(name.length + 1) ?? '';
  const signature = raw('Signature');
  const key = raw(dialect.publicKeyParameter);
  return [
    {
      actual: signature,
      write: (context) => context.steps.encodedSignature(sent.signature, context),
      fault: {
        name: 'presigned-signature-encoded-otherwise',
        rule: '5.4/signature-encoded',
        cause: `the signature is in the URL as ${visible(signature)}`,
        fix: 'percent-encode the Base64 of the signature once, with upper-case digits',
      },
    },
    {
      actual: key,
      write: ({ steps }) => steps.urlEncode(sent.publicKey ?? ''),
      even: evenPublicKey,
      fault: encodingFault(dialect.publicKeyParameter, key),
    },
    {
      actual: raw('Expires'),
      write: ({ steps }) => steps.urlEncode(request.expires),
      fault: encodingFault('Expires', raw('Expires')),
    },
    {
      actual: path,
      write: (context) => context.steps.filePath(request.key, context),
      // An escaped slash is accepted as well.
      even: (text) => text.replaceAll(/%2[Ff]/g, '/'),
      fault: {
        name: 'path-encoded-otherwise',
        rule: '5.4/path-encoded',
        cause: `the path is written ${visible(path)}`,
        fix: 'write each byte of the key as "%" and two upper-case digits, but for "/" and A-Z a-z 0-9 - _ . ~',
      },
    },
  ];
}

/** The value of the header to the character, and the target of an instant upload (§5.2, §4.3). */
function headerParts({ request, sent, policy, query, upload, dialect }: HeaderSubject): Part[] {
  const [, value = ''] =
    request.headers.find(([name]) => name.trim().toLowerCase() === 'authorization') ?? [];
  const { publicKey, signature } = sent;
  const header: Part = {
    actual: value.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''),
    write: (context) =>
      context.steps.authorizationValue(dialect.scheme, publicKey ?? '', signature, policy, context),
    fault: {
      name: 'authorization-written-otherwise',
      rule: '5.2/header-form',
      cause: `the header Authorization is written ${visible(value)}`,
      fix: `write "${dialect.scheme}", one space, the public key, a colon and the signature on one line`,
    },
  };
  const target = `/uploadhit?${query}`;
  return [
    // What cannot be read is refused, and judged by its signature.
    ...(publicKey === undefined ? [] : [header]),
    ...(upload
      ? [
          {
            actual: target,
            write: (context: Context) => context.steps.instantUploadTarget(upload, context),
            even: evenTarget,
            fault: {
              name: 'instant-upload-written-otherwise',
              rule: '4.3/instant-upload-target',
              cause: `the target is written ${visible(target)}`,
              fix: 'send /uploadhit with Hash, FileName and FileSize, each percent-encoded as §5.3 says',
            },
          },
        ]
      : []),
  ];
}

/** Every pair of a query, then the query as a whole (§4.2, §5.3). */
function queryParts({ text, parameters, sent }: ParametersSubject): readonly Part[] {
  const pieces = text.split('&');
  const pairs = SPECIFICATION.steps.decodedQuery(text, SPECIFICATION) ?? [];
  const own = parameters.map(([name, value]) => [name, String(value)] as const);
  const ofPairs = pieces
    .filter((piece) => piece !== '')
    .map((actual, i): Part => {
      const [name, value] = pairs[i] ?? ['', ''];
      return {
        actual,
        write: (context) =>
          name === 'Signature'
            ? `Signature=${value}`
            : context.steps.queryPair(name, value, context),
        ...(name === 'PublicKey' && { even: evenPublicKey }),
        fault: encodingFault(name, actual),
      };
    });
  const isLast = pieces.at(-1)?.startsWith('Signature=') === true;
  const isJoined = !pieces.includes('');
  const whole = (rule: string, name: string, cause: string, fix: string): Part => ({
    actual: text,
    write: (context) => context.steps.signedQuery(own, sent.signature, context),
    fault: { name, rule, cause, fix },
  });
  return [
    ...ofPairs,
    ...(isJoined
      ? []
      : [
          whole(
            '4.2/query-pairs',
            'query-with-empty-pair',
            'the query has an empty pair',
            'write name=value pairs with one "&" between them',
          ),
        ]),
    ...(isLast || !isJoined
      ? []
      : [
          whole(
            '4.2/query-signature-last',
            'query-signature-not-last',
            'Signature is not the last parameter of the query',
            'append Signature last',
          ),
        ]),
  ];
}

/** What is wrong about a percent-encoded text; the rule is that of the first fault in it. */
function encodingFault(name: string, actual: string): Fault {
  const written = `the parameter ${visible(name)} is written ${visible(actual)}`;
  const fault = (own: string, rule: string, fix: string): Fault => ({
    name: own,
    rule,
    cause: written,
    fix,
  });
  if (!actual.includes('=') && actual === name) {
    return fault('query-pair-without-value', '4.2/query-pairs', 'write "=" behind a name, too');
  }
  if (/%(?:[0-9][a-f]|[a-f][0-9A-Fa-f]|[A-F][a-f])/.test(actual)) {
    return fault('escape-lower-case', '5.3/upper-case', 'write escapes with upper-case digits');
  }
  return /[^A-Za-z0-9\-_.~%=]|=.*=/.test(actual)
    ? fault(
        'escape-left-out',
        '5.3/escaped',
        'write every character but A-Z a-z 0-9 - _ . ~ as "%" and two upper-case digits',
      )
    : fault('escape-needless', '5.3/unreserved', 'leave A-Z a-z 0-9 - _ . ~ as they are');
}

/** What the specification says of a body and of a password. */
function parameterFaults(
  { form, parameters }: ParametersSubject,
  { method, headers }: SentHead,
): readonly Fault[] {
  const type = headerValue(headers, 'Content-Type');
  const isJson = form === 'json';
  const password = parameters.find(([name]) => name === 'Password')?.[1];
  const nested = parameters.find(([, value]) => isFull(value))?.[0];
  return [
    ...(isJson && (method !== 'POST' || !isJsonType(type)) ? [jsonHeadFault(method, type)] : []),
    ...(nested === undefined
      ? []
      : [
          {
            name: 'json-nested',
            rule: '5.1/flattening',
            cause: `the member ${visible(nested)} is sent as an array or an object`,
            fix: 'flatten it before it is signed and sent, as Name.0 and Name.0.Key',
          },
        ]),
    ...(typeof password === 'string' && !isBase64(password)
      ? [
          {
            name: 'password-not-base64',
            rule: '4.2/password-base64',
            cause: 'the value of the parameter Password is not Base64',
            fix: 'send the standard Base64 of the password, with its padding, and sign what is sent',
          },
        ]
      : []),
  ];
}

function jsonHeadFault(method: string, type: string | undefined): Fault {
  const observed = type === undefined ? 'without a Content-Type' : `with ${visible(type)}`;
  return {
    name: 'json-without-its-content-type',
    rule: '4.2/json-content-type',
    cause: `the JSON body is sent by ${method} ${observed}`,
    fix: 'send it by POST with the header "Content-Type: application/json"',
  };
}

function isJsonType(type: string | undefined): boolean {
  return /^application\/json[ \t]*(?:;|$)/i.test(type ?? '');
}

/** Whether a value is an array or an object with anything in it; of an empty one, the sources disagree. */
function isFull(value: ParametersSubject['parameters'][number][1]): boolean {
  if (typeof value !== 'object' || value === null || 'number' in value) return false;
  return 'list' in value ? value.list.length > 0 : value.object.length > 0;
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** §5.3 leaves open how an at sign of a public key is written, and a plus beside it. */
function evenPublicKey(text: string): string {
  return text.replaceAll('@', '%40').replaceAll('+', '%2B');
}

/** The order of these parameters is free. */
function evenTarget(target: string): string {
  const [path = '', query = ''] = target.split('?', 2);
  return `${path}?${query.split('&').sort().join('&')}`;
}
