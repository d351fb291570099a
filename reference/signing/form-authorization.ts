/**
 * The signature of a form upload (§4.3, §5.2).
 *
 * @module
 */
import type { AuthorizationStages } from './authorization.ts';
import { type PositionalValues, signedFile } from './file-signature.ts';
import { checkHeaderName, checkHeaderValue } from './header-lines.ts';
import { hasHeader, type PositionalName, positionalValue } from './positional-headers.ts';
import type { Context } from './steps.ts';
import type { FileRequest, HeaderList, KeyPair, Pair } from './types.ts';

/** A POST of a form to a bucket; the key is the one that the form names. */
export interface FormRequest {
  readonly bucket: string;
  readonly key: string;
  readonly headers: HeaderList;
  /** The form's text fields, in order. */
  readonly fields: readonly Pair[];
}

/** The value of a form field. Unlike those of headers, names of form fields have a case. */
export function formField(fields: readonly Pair[], name: PositionalName, context: Context): string {
  const values = fields.filter(([field]) => field === name);
  for (const [field, value] of values) {
    checkHeaderName(field);
    checkHeaderValue(field, value);
  }
  return positionalValue(values, name, context);
}

/**
 * The positional values of a form: its `Content-Type` field counts, never the request's header.
 *
 * §4.3 says nothing of Content-MD5: published clients send it as a header or as a field.
 */
export function formPositionalValues(
  { headers, fields }: FormRequest,
  context: Context,
): PositionalValues {
  const { steps } = context;
  return {
    contentMd5: hasHeader(headers, 'Content-MD5')
      ? steps.positionalValue(headers, 'Content-MD5', context)
      : steps.formField(fields, 'Content-MD5', context),
    contentType: steps.formField(fields, 'Content-Type', context),
    date: steps.positionalValue(headers, 'Date', context),
  };
}

/** Signs a form upload; the result travels in the form field `Authorization`. */
export function formAuthorization(
  form: FormRequest,
  keys: KeyPair,
  context: Context,
): AuthorizationStages {
  const { steps, dialect } = context;
  const request: FileRequest = { method: 'POST', ...form };
  steps.checkRequest(request, context);
  const stages = signedFile(request, steps.formPositionalValues(form, context), keys, context, '');
  return {
    ...stages,
    authorization: steps.authorizationValue(dialect.scheme, keys.publicKey, stages.signature, ''),
  };
}
