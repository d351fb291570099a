/**
 * The headers that are signed by their place in the text (§5.2).
 *
 * @module
 */
import { InputError } from './errors.ts';
import type { PositionalValues } from './file-signature.ts';
import { trimBlanks, unfold } from './header-lines.ts';
import type { Context } from './steps.ts';
import type { FileRequest, HeaderList } from './types.ts';

export type PositionalName = 'Content-MD5' | 'Content-Type' | 'Date';

/** Whether a header is the one of this name, in any case. */
export function isPositional(header: string, name: PositionalName): boolean {
  return trimBlanks(header).toLowerCase() === name.toLowerCase();
}

/** Whether a request has the header, be its value empty. */
export function hasHeader(headers: HeaderList, name: PositionalName): boolean {
  return headers.some(([header]) => isPositional(header, name));
}

/**
 * The value alone, or nothing where the header is absent.
 *
 * §5.2 says nothing of a header that comes twice, so there is no text to sign; of a fold
 * neither, so it is read as anywhere else in HTTP.
 */
export function positionalValue(
  headers: HeaderList,
  name: PositionalName,
  { steps }: Context,
): string {
  const values = headers.filter(([header]) => steps.isPositional(header, name));
  if (values.length > 1) {
    throw new InputError(
      'header-repeated',
      `header ${name} appears ${values.length} times; §5.2 signs one value; send it once`,
    );
  }
  return trimBlanks(unfold(values[0]?.[1] ?? ''));
}

/** The three values of a request with an `Authorization` header, in the order of §5.2. */
export function positionalValues({ headers }: FileRequest, context: Context): PositionalValues {
  const { positionalValue: value } = context.steps;
  return {
    contentMd5: value(headers, 'Content-MD5', context),
    contentType: value(headers, 'Content-Type', context),
    date: value(headers, 'Date', context),
  };
}
