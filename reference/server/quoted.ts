/**
 * What a client sent, as a message quotes it.
 *
 * @module
 */

/** In double quotes, or its length alone: a text that is cut could end with half of a private key, which would not be found and hidden. */
export function quoted(text: string, most = 200): string {
  return text.length > most ? `of ${text.length} characters` : JSON.stringify(text);
}
