/**
 * The header Range (RFC 9110 §14.2).
 *
 * @module
 */

/** From `start` up to and without `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * What a Range asks of so many bytes; nothing where it is to be ignored.
 *
 * Ignored is what is no single range of bytes, and every range of an empty file: the SDK for Java asks for `bytes=0-` always.
 */
export function rangeOf(header: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header.replaceAll(' ', '')) ?? [];
  if ((first === '' && last === '') || size === 0) return undefined;
  if (first === '') {
    const start = Math.max(0, size - Number(last));
    return start < size ? { start, end: size } : 'unsatisfiable';
  }
  const start = Number(first);
  const end = last === '' ? size : Math.min(Number(last) + 1, size);
  if (last !== '' && Number(last) < start) return undefined;
  return start < size ? { start, end } : 'unsatisfiable';
}

/** `Content-Range` of a part. */
export function contentRange({ start, end }: ByteRange, size: number): string {
  return `bytes ${start}-${end - 1}/${size}`;
}
