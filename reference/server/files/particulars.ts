/**
 * What a request says of the object that it makes.
 *
 * @module
 */

import type { Context, HeaderList, Pair } from '../../signing/index.ts';
import { quoted } from '../quoted.ts';
import type { StorageClass, StoredObject } from '../store/store.ts';
import { headerOf } from '../wire-request.ts';
import { badRequest } from './refusal.ts';

export type Particulars = Pick<StoredObject, 'contentType' | 'storageClass' | 'meta'>;

interface Said {
  readonly headers: HeaderList;
}

/** The type of what says none. */
export const UNKNOWN_TYPE = 'application/octet-stream';

/** Of names and values together, in bytes. */
const MOST_META = 8 * 1024;

/** What a header, and so an answer, can carry. */
const HEADER_TEXT = /^[\t\x20-\x7e\u0080-\u{10ffff}]*$/u;

export function contentTypeOf(wire: Said): string | undefined {
  return headerOf(wire, 'Content-Type') || undefined;
}

/** The class that the request names. */
export function storageClassOf(wire: Said): StorageClass | undefined {
  const text = headerOf(wire, 'X-Ufile-Storage-Class') ?? '';
  return text === '' ? undefined : storageClass(text);
}

export function storageClass(text: string): StorageClass {
  if (text === 'STANDARD' || text === 'IA' || text === 'ARCHIVE') return text;
  throw badRequest(
    `the storage class is ${JSON.stringify(text)}; it has to be STANDARD, IA or ARCHIVE`,
  );
}

/**
 * User metadata: `X-Ufile-Meta-*` of the service's pages, and the name that §2 gives (`x-svc-meta-<name>`).
 *
 * They are answered as `X-Ufile-Meta-*` whatever they came as.
 */
export function metaOf({ headers }: Said, { dialect }: Context): readonly Pair[] {
  const prefixes = ['x-ufile-meta-', `${dialect.headerPrefix.toLowerCase()}meta-`];
  const meta = headers.flatMap(([header, value]) => {
    const prefix = prefixes.find((start) => header.toLowerCase().startsWith(start));
    return prefix === undefined ? [] : [[header.slice(prefix.length), value.trim()] as const];
  });
  checkMeta(meta);
  return meta;
}

function checkMeta(meta: readonly Pair[]): void {
  const wrong = meta.find(([name]) => !/^[A-Za-z0-9-]+$/.test(name));
  if (wrong) {
    throw badRequest(
      `the metadata ${JSON.stringify(wrong[0])} is no name of letters, digits and "-"`,
    );
  }
  const size = Buffer.byteLength(meta.flat().join(''), 'utf8');
  if (size > MOST_META) {
    throw badRequest(`the metadata has ${size} bytes; at most ${MOST_META} are allowed`);
  }
}

/** A type that came in a body, and has to be answered in a header. */
export function checkedType(text: string): string {
  if (text !== '' && text.length <= 1024 && HEADER_TEXT.test(text)) return text;
  throw badRequest(`the media type ${quoted(text)} cannot be the value of a header`);
}
