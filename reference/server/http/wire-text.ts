/**
 * The bytes of a request line and of headers as text: Node hands every byte over as one character.
 *
 * @module
 */

/** Text of UTF-8; what is no UTF-8 stays as it is, a character for each byte. */
export function textOfWire(bytes: string): string {
  if (!/[\u0080-\u00ff]/.test(bytes)) return bytes;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(bytes, 'latin1'),
    );
  } catch {
    return bytes;
  }
}

/** The bytes of a text in UTF-8, as Node takes them. */
export function wireOfText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
