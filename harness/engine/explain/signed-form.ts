/**
 * Reads a captured form upload (§4.3) and the parts of its body (RFC 7578).
 *
 * @module
 */
import { type Pair, SPECIFICATION } from '../../../reference/signing/index.ts';
import { UsageError } from '../errors.ts';
import { quote } from '../excerpt.ts';
import { type FormSubject, otherDialect } from './subject.ts';
import {
  detectDialect,
  detectOtherDialect,
  findBucket,
  findKey,
  type Hints,
  type Target,
} from './target.ts';

/** Reads the signed values from the form fields. Without a field Content-Type, the type of the file part counts. */
export function readFormSubject(request: Target, contentType: string, hints: Hints): FormSubject {
  const boundary = parseBoundary(contentType);
  const parts = boundary === undefined ? [] : parseFormParts(request.body, boundary);
  if (parts.length === 0) {
    throw new UsageError(
      `the header Content-Type is ${quote(contentType)}, but ${request.body.trim() === '' ? 'the text has no body' : 'the body has no part with that boundary'}; curl -v does not show bodies; put the body behind an empty line after the headers, as \`nc -l\` shows it`,
    );
  }
  const fields = parts.filter(({ isFile }) => !isFile);
  const [written, ...moreWritten] = readField(fields, 'Authorization');
  const names = [...readField(fields, 'FileName'), ...readField(fields, 'ObjectName')];
  const [key, keyOrigin] =
    names[0] === undefined ? findKey(request) : [names[0], 'form field FileName'];
  const dialect = detectDialect(written ?? '', request, hints);
  const authorization = SPECIFICATION.steps.parsedAuthorization(
    written ?? '',
    dialect.scheme,
    SPECIFICATION,
  );
  if (authorization && authorization.policy !== '') {
    throw new UsageError(
      'the form field Authorization carries a callback policy; explain reads one in the header Authorization only',
    );
  }
  const [bucket, bucketOrigin] = findBucket(request, hints);
  const fileType = parts.find(({ isFile }) => isFile)?.contentType;
  const hasType = readField(fields, 'Content-Type').length > 0;
  const pairs = fields.map(({ name, value }): Pair => [name, value]);
  const fault =
    written === undefined || moreWritten.length > 0
      ? `the form field Authorization is ${written === undefined ? 'missing' : `sent ${moreWritten.length + 1} times`}; §4.3 signs a form in it; send it once`
      : names.length > 1
        ? `the form names its key ${names.length} times; send the field FileName once`
        : undefined;
  return {
    kind: 'form',
    dialect,
    request: {
      bucket,
      key,
      headers: request.headers,
      fields:
        hasType || fileType === undefined ? pairs : [...pairs, ['Content-Type', fileType] as const],
    },
    typeOrigin: hasType
      ? 'form field Content-Type'
      : fileType === undefined
        ? 'no form field Content-Type'
        : 'Content-Type of the file part; there is no such field',
    sent: {
      publicKey: authorization?.publicKey,
      signature: authorization?.signature ?? written ?? '',
      written: written ?? '',
    },
    origin: { bucket: bucketOrigin, key: keyOrigin },
    notes: [],
    ...otherDialect(detectOtherDialect(request, written ?? '', hints)),
    ...(fault !== undefined && { fault: { reason: 'form-malformed', message: fault } }),
  };
}

function readField(parts: readonly FormPart[], name: string): readonly string[] {
  return parts.filter((part) => part.name === name).map(({ value }) => value);
}

export interface FormPart {
  readonly name: string;
  /** The part's own Content-Type header. */
  readonly contentType: string | undefined;
  readonly isFile: boolean;
  readonly value: string;
}

/** The boundary that a Content-Type header names. */
export function parseBoundary(contentType: string): string | undefined {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  return quoted ?? bare;
}

/**
 * Parses the named parts, in order.
 *
 * Node's own parser rejects bodies without an end mark or with parts without headers, which published clients send, and
 * pasted texts without carriage returns. Nested parts and encodings other than UTF-8 are not supported.
 */
export function parseFormParts(body: string, boundary: string): readonly FormPart[] {
  const delimiter = `--${boundary}`;
  const pieces = `\n${body}`.split(`\n${delimiter}`).slice(1);
  return pieces.flatMap((piece) => {
    const [, head, value] =
      /^[ \t]*\r?\n((?:[^\r\n]+\r?\n)*)\r?\n(.*)$/s.exec(
        piece.endsWith('\n') ? piece : `${piece}\n`,
      ) ?? [];
    if (head === undefined || value === undefined) return [];
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
  const line = head
    .split('\n')
    .find((one) => one.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return line?.slice(name.length + 1).trim();
}
