/**
 * What published SDKs sign for some requests beside the text of the specification; the service is believed to take it.
 *
 * @module
 */
import type { Context, HeaderList, Pair } from '../../signing/index.ts';
import type { VendorText } from '../judgement.ts';

export interface VendorVariant {
  readonly name: VendorText;
  /** Who signs so, for people. */
  readonly signer: string;
  /** The specification with the steps that are another's. */
  readonly context: Context;
}

/** A text of requests that are signed in their header. */
export interface HeaderVariant extends VendorVariant {
  /** The operations that SDKs sign so. For any other operation, it is the text of another key. */
  readonly operations: readonly string[];
}

/** What of a request decides which texts there may be. */
export interface VendorRequest {
  readonly headers: HeaderList;
  /** As it is sent. */
  readonly query: string;
}

/** In the order in which the Python and C++ SDKs sign them. */
const LISTING = ['delimiter', 'marker', 'max-keys', 'prefix'];

const COPIED = ['X-Ufile-Copy-Source', 'X-Ufile-Copy-Source-Range'];

/** The other texts that a request signed in its header may have. */
export function vendorTexts(request: VendorRequest, context: Context): readonly HeaderVariant[] {
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
  if (!['Content-MD5', 'Content-Type'].some((name) => headerValue(headers, name, context)))
    return [];
  const { steps } = context;
  const variant: VendorVariant = {
    name: 'presigned-content-headers',
    signer: 'the SDKs for Go and Java',
    context: {
      ...context,
      steps: {
        ...steps,
        presignedPositionalValues: (request, own) => ({
          ...steps.positionalValues(request, own),
          date: request.expires,
        }),
      },
    },
  };
  return [variant];
}

function copySourceLines({ headers }: VendorRequest, context: Context): readonly HeaderVariant[] {
  const lines = COPIED.flatMap((name) => {
    const value = headerValue(headers, name, context);
    return value === undefined ? [] : [`${name.toLowerCase()}:${value}\n`];
  });
  if (lines.length === 0) return [];
  const operations = ['Copy', 'UploadPartCopy'];
  return [
    {
      ...variant('copy-source-lines', 'the SDK for Java', context, lines.join(''), ''),
      operations,
    },
  ];
}

function listParameters({ query }: VendorRequest, context: Context): readonly HeaderVariant[] {
  // The SDK for Python writes a space in a query as a plus.
  const pairs = context.steps.decodedQuery(query.replaceAll('+', '%20'), context) ?? [];
  if (!pairs.some(([name]) => name === 'listobjects')) return [];
  const value = (name: string): string => pairs.find(([own]) => own === name)?.[1] ?? '';
  // A line break in a value would move the border to the next one.
  if (LISTING.some((name) => value(name).includes('\n'))) return [];
  const suffix = LISTING.map((name) => `\n${name}:${value(name)}`).join('');
  const signer = 'the SDKs for Python and C++';
  const text = variant('list-parameters', signer, context, '', `\nlistobjects${suffix}`);
  return [{ ...text, operations: ['ListObjects'] }];
}

function rawAppendQuery({ query }: VendorRequest, context: Context): readonly HeaderVariant[] {
  if (!/(?:^|&)append(?:&|=|$)/.test(query)) return [];
  return [{ ...rawQuery(query, context), operations: ['Append'] }];
}

/** The query as it is sent, glued to the resource. */
export function rawQuery(query: string, context: Context): VendorVariant {
  return variant('raw-append-query', 'the SDK for PHP', context, '', `?${query}`);
}

/** The specification with lines before the resource, or a text glued to it. */
function variant(
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
    context: {
      ...context,
      steps: {
        ...steps,
        canonicalHeaders: (...given) => steps.canonicalHeaders(...given) + lines,
        canonicalResource: (...given) => steps.canonicalResource(...given) + suffix,
      },
    },
  };
}

function headerValue(headers: HeaderList, name: string, { steps }: Context): string | undefined {
  const found = headers.find(
    ([own]: Pair) => steps.trimName(own).toLowerCase() === name.toLowerCase(),
  );
  return found && steps.trimValue(steps.unfold(found[1]));
}
