/**
 * Reads a captured form upload (§4.3) and the parts of its body (RFC 7578).
 *
 * @module
 */
import { type Dialect, type Pair, SPECIFICATION } from '../../../reference/signing/index.ts';
import { UsageError } from '../errors.ts';
import { quote } from '../excerpt.ts';
import {
  detectDialect,
  detectOtherDialect,
  findBucket,
  findKey,
  type Hints,
  type Target,
} from './captured-request.ts';
import type { Sent, SignedForm } from './signed-request.ts';

/** Reads the signed values from the form fields. Without a field Content-Type, the type of the file part counts. */
export function readSignedForm(request: Target, contentType: string, hints: Hints): SignedForm {
  const parts = readParts(request.body, contentType);
  const fields = parts.filter(({ isFile }) => !isFile);
  const authorizations = readFields(fields, 'Authorization');
  const [written = ''] = authorizations;
  const [name, ...more] = [...readFields(fields, 'FileName'), ...readFields(fields, 'ObjectName')];
  const [key, keyOrigin] = name === undefined ? findKey(request) : [name, 'form field FileName'];
  const dialect = detectDialect(written, request, hints);
  const authorization = parseAuthorizationField(written, dialect);
  const [bucket, bucketOrigin] = findBucket(request, hints);
  const type = findContentType(parts);
  const fault = findFormFault(authorizations.length, more.length);
  return {
    kind: 'form',
    dialect,
    request: {
      bucket,
      key,
      headers: request.headers,
      fields: [...fields.map(({ name, value }): Pair => [name, value]), ...type.added],
    },
    typeOrigin: type.origin,
    sent: { publicKey: undefined, signature: written, ...authorization, written },
    origin: { bucket: bucketOrigin, key: keyOrigin },
    notes: [],
    ...detectOtherDialect(request, written, hints),
    ...(fault !== undefined && { fault: { reason: 'form-malformed', message: fault } }),
  };
}

function readParts(body: string, contentType: string): readonly FormPart[] {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  const parts = boundary === undefined ? [] : parseFormParts(body, boundary);
  if (parts.length > 0) return parts;
  throw new UsageError(
    `the header Content-Type is ${quote(contentType)}, but ${body.trim() === '' ? 'the text has no body' : 'the body has no part with that boundary'}; curl -v does not show bodies; put the body behind an empty line after the headers, as \`nc -l\` shows it`,
  );
}

/** @throws UsageError if the value carries a callback policy */
function parseAuthorizationField(
  written: string,
  { scheme }: Dialect,
): Pick<Sent, 'publicKey' | 'signature'> | undefined {
  const parts = SPECIFICATION.steps.parsedAuthorization(written, scheme, SPECIFICATION);
  if (parts && parts.policy !== '') {
    throw new UsageError(
      'the form field Authorization carries a callback policy; explain reads one in the header Authorization only',
    );
  }
  return parts && { publicKey: parts.publicKey, signature: parts.signature };
}

/** The origin of the signed Content-Type, and the field that the form lacks for it. */
function findContentType(parts: readonly FormPart[]): {
  readonly added: readonly Pair[];
  readonly origin: string;
} {
  if (parts.some(({ name, isFile }) => !isFile && name === 'Content-Type')) {
    return { added: [], origin: 'form field Content-Type' };
  }
  const type = parts.find(({ isFile }) => isFile)?.contentType;
  if (type === undefined) return { added: [], origin: 'no form field Content-Type' };
  const origin = 'Content-Type of the file part; there is no such field';
  return { added: [['Content-Type', type]], origin };
}

function findFormFault(authorizations: number, moreNames: number): string | undefined {
  if (authorizations !== 1) {
    return `the form field Authorization is ${authorizations === 0 ? 'missing' : `sent ${authorizations} times`}; §4.3 puts the signature there; send it once`;
  }
  return moreNames > 0
    ? `the form names its key ${1 + moreNames} times; send the field FileName once`
    : undefined;
}

function readFields(parts: readonly FormPart[], name: string): readonly string[] {
  return parts.filter((part) => part.name === name).map(({ value }) => value);
}

interface FormPart {
  readonly name: string;
  /** The part's own Content-Type header. */
  readonly contentType: string | undefined;
  readonly isFile: boolean;
  readonly value: string;
}

/** The headers and the value of a part, behind its delimiter. */
const PART = /^[ \t]*\r?\n((?:[^\r\n]+\r?\n)*)\r?\n(.*)$/s;

/**
 * Parses the named parts, in order.
 *
 * Node's own parser rejects bodies without an end mark or with parts without headers, which published clients send, and
 * pasted texts without carriage returns. Nested parts and encodings other than UTF-8 are not supported.
 */
function parseFormParts(body: string, boundary: string): readonly FormPart[] {
  const pieces = `\n${body}`.split(`\n--${boundary}`).slice(1);
  return pieces.flatMap((piece) => {
    const [, head = '', value = ''] = PART.exec(piece.endsWith('\n') ? piece : `${piece}\n`) ?? [];
    const disposition = findPartHeader(head, 'Content-Disposition') ?? '';
    const name = /;\s*name="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1];
    if (name === undefined) return [];
    return [
      {
        name,
        contentType: findPartHeader(head, 'Content-Type'),
        isFile: /;\s*filename\*?=/i.test(disposition),
        value: value.replace(/\r?\n$/, ''),
      },
    ];
  });
}

function findPartHeader(head: string, name: string): string | undefined {
  const start = `${name.toLowerCase()}:`;
  const line = head.split('\n').find((one) => one.toLowerCase().startsWith(start));
  return line?.slice(start.length).trim();
}
