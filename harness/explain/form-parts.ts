/**
 * The parts of a form upload's body (RFC 7578), as far as a signature needs them.
 *
 * Node's own reader takes only bodies that are right to the last byte; published clients leave out the end mark,
 * or send a part without headers, and a pasted text has lost its carriage returns. Not read: parts within parts,
 * and other encodings than UTF-8.
 *
 * @module
 */

export interface FormPart {
  readonly name: string;
  /** The part's own Content-Type header. */
  readonly contentType: string | undefined;
  readonly isFile: boolean;
  readonly value: string;
}

/** The boundary that a Content-Type header names. */
export function boundaryOf(contentType: string): string | undefined {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  return quoted ?? bare;
}

/** The named parts in order. */
export function formParts(body: string, boundary: string): readonly FormPart[] {
  const delimiter = `--${boundary}`;
  const pieces = `\n${body}`.split(`\n${delimiter}`).slice(1);
  return pieces.flatMap((piece) => {
    const [, head, value] =
      /^[ \t]*\r?\n((?:[^\r\n]+\r?\n)*)\r?\n(.*)$/s.exec(
        piece.endsWith('\n') ? piece : `${piece}\n`,
      ) ?? [];
    if (head === undefined || value === undefined) return [];
    const disposition = headerOf(head, 'Content-Disposition') ?? '';
    const name = /;\s*name="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1];
    if (name === undefined) return [];
    return [
      {
        name,
        contentType: headerOf(head, 'Content-Type'),
        isFile: /;\s*filename\*?=/i.test(disposition),
        value: value.replace(/\r?\n$/, ''),
      },
    ];
  });
}

function headerOf(head: string, name: string): string | undefined {
  const line = head
    .split('\n')
    .find((one) => one.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return line?.slice(name.length + 1).trim();
}
