/**
 * Requests that depend on what is there (RFC 9110 §13).
 *
 * @module
 */
import type { StoredObject } from '../store/store.ts';
import { headerOf, type WireRequest } from '../wire-request.ts';

export type Outlook = 'go on' | 'not modified' | 'failed';

/** What the conditions of a GET or HEAD say of an object, in the order of RFC 9110 §13.2.2. */
export function outlookOf(wire: WireRequest, { etag, modifyTime }: StoredObject): Outlook {
  const match = headerOf(wire, 'If-Match');
  const noneMatch = headerOf(wire, 'If-None-Match');
  if (match !== undefined) {
    if (!names(match, etag)) return 'failed';
  } else if (modifyTime > secondsOf(wire, 'If-Unmodified-Since', Number.POSITIVE_INFINITY)) {
    return 'failed';
  }
  if (noneMatch !== undefined) return names(noneMatch, etag) ? 'not modified' : 'go on';
  return modifyTime <= secondsOf(wire, 'If-Modified-Since', Number.NEGATIVE_INFINITY)
    ? 'not modified'
    : 'go on';
}

/** Whether a Range still counts: without If-Range, or where it names what is there. */
export function isRangeWanted(wire: WireRequest, { etag, modifyTime }: StoredObject): boolean {
  const wanted = headerOf(wire, 'If-Range');
  return wanted === undefined || wanted === `"${etag}"` || Date.parse(wanted) === modifyTime * 1000;
}

/** Quotes may be missing: the SDKs hand ETags out without them. */
function names(list: string, etag: string): boolean {
  return list
    .split(',')
    .map((entry) => entry.trim().replace(/^W\//, '').replace(/^"|"$/g, ''))
    .some((entry) => entry === '*' || entry === etag);
}

/** A date that is none is ignored (RFC 9110 §13.1.3). */
function secondsOf(wire: WireRequest, name: string, otherwise: number): number {
  const time = Date.parse(headerOf(wire, name) ?? '');
  return Number.isNaN(time) ? otherwise : time / 1000;
}
