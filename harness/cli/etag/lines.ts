/**
 * Lines of ETags and names, in the format of `sha256sum`.
 *
 * @module
 */
import { escapeUnit } from '../../../reference/escapes.ts';

export interface Entry {
  readonly etag: string;
  readonly path: string;
}

/** Characters that control a terminal or that a line cannot contain. */
const SPECIAL = /[\\\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const SHORT: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };

/** A backslash if the name has escapes, 24 bytes as URL-safe Base64, two spaces or a space and an asterisk, and the name. */
const LINE = /^(\\?)([A-Za-z0-9_-]{32}) [ *](.+)$/;

export function formatLine({ etag, path }: Entry): string {
  const written = escapePath(path);
  return `${written === path ? '' : '\\'}${etag}  ${written}`;
}

/** The name on one line, with special characters escaped. */
export function escapePath(path: string): string {
  return path.replace(SPECIAL, (character) => SHORT[character] ?? escapeUnit(character));
}

/** The entry of a line; `undefined` if the line is malformed. */
export function parseLine(line: string): Entry | undefined {
  const [matched, mark, etag = '', written = ''] = LINE.exec(line) ?? [];
  if (matched === undefined) return undefined;
  return { etag, path: mark === '' ? written : unescapePath(written) };
}

function unescapePath(written: string): string {
  return written.replace(/\\(?:u([0-9a-f]{4})|(.))/g, (_, code?: string, letter: string = '') => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return letter === 'n' ? '\n' : letter === 'r' ? '\r' : letter;
  });
}
