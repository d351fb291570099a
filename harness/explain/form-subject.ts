/**
 * A form upload, recognized by its body (§4.3).
 *
 * @module
 */
import { type Pair, SPECIFICATION } from '../../reference/signing/index.ts';
import { UsageError } from '../errors.ts';
import { visible } from '../report/excerpt.ts';
import { boundaryOf, type FormPart, formParts } from './form-parts.ts';
import { type FormSubject, otherDialect } from './subject.ts';
import {
  bucketOf,
  dialectOfValue,
  type Hints,
  keyOf,
  otherDialectOf,
  type Target,
} from './target.ts';

/** Reads what is signed from the fields; the type of the file part stands in for the field Content-Type. */
export function formSubject(request: Target, contentType: string, hints: Hints): FormSubject {
  const boundary = boundaryOf(contentType);
  const parts = boundary === undefined ? [] : formParts(request.body, boundary);
  if (parts.length === 0) {
    throw new UsageError(
      `the header Content-Type is ${visible(contentType)}, but ${request.body.trim() === '' ? 'the text has no body' : 'the body has no part with that boundary'}; curl -v does not show bodies; put the body behind an empty line after the headers, as \`nc -l\` shows it`,
    );
  }
  const fields = parts.filter(({ isFile }) => !isFile);
  const [written, ...moreWritten] = valuesOf(fields, 'Authorization');
  const names = [...valuesOf(fields, 'FileName'), ...valuesOf(fields, 'ObjectName')];
  const [key, keyOrigin] =
    names[0] === undefined ? keyOf(request) : [names[0], 'form field FileName'];
  const dialect = dialectOfValue(written ?? '', request, hints);
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
  const [bucket, bucketOrigin] = bucketOf(request, hints);
  const fileType = parts.find(({ isFile }) => isFile)?.contentType;
  const hasType = valuesOf(fields, 'Content-Type').length > 0;
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
    ...otherDialect(otherDialectOf(request, written ?? '', hints)),
    ...(fault !== undefined && { fault: { reason: 'form-malformed', message: fault } }),
  };
}

function valuesOf(parts: readonly FormPart[], name: string): readonly string[] {
  return parts.filter((part) => part.name === name).map(({ value }) => value);
}
