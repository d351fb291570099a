/**
 * Texts that published SDKs sign for some requests instead of the string to sign of the specification. The service probably
 * accepts them.
 *
 * @module
 */

import { type Context, type HeaderList, type Pair, withSteps } from './signing/index.ts';

/** Texts that published SDKs sign for some requests instead of the string to sign of §5.2. */
export type VendorText =
  | 'copy-source-lines'
  | 'list-parameters'
  | 'raw-append-query'
  /** §5.4 leaves the lines of Content-MD5 and Content-Type empty; the service's newer documentation fills them in. */
  | 'presigned-content-headers';

export interface VendorVariant {
  readonly name: VendorText;
  /** The SDKs that sign it, for messages. */
  readonly signer: string;
  /** The specification with the steps of the SDK. */
  readonly context: Context;
}

/** A variant for requests with an Authorization header. */
export interface HeaderVariant extends VendorVariant {
  /** The operations that SDKs sign in this way. In other operations, the text would also be the correct text of another key. */
  readonly operations: readonly string[];
}

export interface VendorRequest {
  readonly headers: HeaderList;
  /** The query as sent. */
  readonly query: string;
}

/** In the order in which the Python and C++ SDKs sign them. */
const LISTING = ['delimiter', 'marker', 'max-keys', 'prefix'];

const COPIED = ['X-Ufile-Copy-Source', 'X-Ufile-Copy-Source-Range'];

export function listVendorTexts(
  request: VendorRequest,
  context: Context,
): readonly HeaderVariant[] {
  return [
    ...copySourceLines(request, context),
    ...listParameters(request, context),
    ...rawAppendQuery(request, context),
  ];
}

/** A pre-signed URL with the Content-MD5 and Content-Type that the request carries. */
export function presignedContentHeaders(
  { headers }: Pick<VendorRequest, 'headers'>,
  context: Context,
): readonly VendorVariant[] {
  if (!['Content-MD5', 'Content-Type'].some((name) => findHeaderValue(headers, name, context)))
    return [];
  const { steps } = context;
  const variant: VendorVariant = {
    name: 'presigned-content-headers',
    signer: 'the SDKs for Go and Java',
    context: withSteps(context, {
      presignedPositionalValues: (request, own) => ({
        ...steps.positionalValues(request, own),
        date: request.expires,
      }),
    }),
  };
  return [variant];
}

function copySourceLines({ headers }: VendorRequest, context: Context): readonly HeaderVariant[] {
  const lines = COPIED.flatMap((name) => {
    const value = findHeaderValue(headers, name, context);
    return value === undefined ? [] : [`${name.toLowerCase()}:${value}\n`];
  });
  if (lines.length === 0) return [];
  const operations = ['Copy', 'UploadPartCopy'];
  return [
    {
      ...createVariant('copy-source-lines', 'the SDK for Java', context, lines.join(''), ''),
      operations,
    },
  ];
}

function listParameters({ query }: VendorRequest, context: Context): readonly HeaderVariant[] {
  // The SDK for Python writes a space in a query as a plus.
  const pairs = context.steps.decodedQuery(query.replaceAll('+', '%20'), context) ?? [];
  if (!pairs.some(([name]) => name === 'listobjects')) return [];
  const value = (name: string): string => pairs.find(([own]) => own === name)?.[1] ?? '';
  // A line break in a value would make the text ambiguous.
  if (LISTING.some((name) => value(name).includes('\n'))) return [];
  const suffix = LISTING.map((name) => `\n${name}:${value(name)}`).join('');
  const signer = 'the SDKs for Python and C++';
  const text = createVariant('list-parameters', signer, context, '', `\nlistobjects${suffix}`);
  return [{ ...text, operations: ['ListObjects'] }];
}

function rawAppendQuery({ query }: VendorRequest, context: Context): readonly HeaderVariant[] {
  if (!/(?:^|&)append(?:&|=|$)/.test(query)) return [];
  return [{ ...createRawQueryVariant(query, context), operations: ['Append'] }];
}

/** A resource with the query as sent. */
export function createRawQueryVariant(query: string, context: Context): VendorVariant {
  return createVariant('raw-append-query', 'the SDK for PHP', context, '', `?${query}`);
}

/** The specification with lines before the resource, or a text after it. */
function createVariant(
  name: VendorText,
  signer: string,
  context: Context,
  lines: string,
  suffix: string,
): VendorVariant {
  const { steps } = context;
  return {
    name,
    signer,
    context: withSteps(context, {
      canonicalHeaders: (...given) => steps.canonicalHeaders(...given) + lines,
      canonicalResource: (...given) => steps.canonicalResource(...given) + suffix,
    }),
  };
}

function findHeaderValue(
  headers: HeaderList,
  name: string,
  { steps }: Context,
): string | undefined {
  const found = headers.find(
    ([own]: Pair) => steps.trimName(own).toLowerCase() === name.toLowerCase(),
  );
  return found && steps.trimValue(steps.unfold(found[1]));
}
