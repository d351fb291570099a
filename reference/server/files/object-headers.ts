/**
 * What the answers to GetFile and HeadFile say of an object.
 *
 * @module
 */
import type { HeaderList } from '../../signing/index.ts';
import type { StoredObject } from '../store/store.ts';

/**
 * A file runs no scripts on the server's own origin, and its type is not guessed.
 *
 * Any web page can have a browser put a file here and open it.
 */
const INERT: HeaderList = [
  ['Content-Security-Policy', 'sandbox'],
  ['X-Content-Type-Options', 'nosniff'],
];

/** In the capitals that the published SDKs look for. */
export function objectHeaders(object: StoredObject): HeaderList {
  return [
    ['Content-Type', object.contentType],
    ...INERT,
    etagHeader(object.etag),
    ['Last-Modified', httpDate(object.modifyTime)],
    ['Accept-Ranges', 'bytes'],
    ['X-Ufile-Storage-Class', object.storageClass],
    ...object.meta.map(([name, value]) => [`X-Ufile-Meta-${name}`, value] as const),
  ];
}

/** In double quotes: the SDK for JavaScript cuts off the first and the last character. */
export function etagHeader(etag: string): readonly ['ETag', string] {
  return ['ETag', `"${etag}"`];
}

/** Unix seconds as RFC 9110 writes them. */
export function httpDate(seconds: number): string {
  return new Date(seconds * 1000).toUTCString();
}

/** Whether an object is in the archive and not restored, or not any more. */
export function isFrozen(object: StoredObject, now: number): boolean {
  return object.storageClass === 'ARCHIVE' && (object.restoredUntil ?? 0) <= now;
}
