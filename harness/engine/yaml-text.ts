/**
 * How a vector that a program writes looks as YAML.
 *
 * @module
 */

/** Options for a document. Words that YAML 1.1 reads differently are quoted. */
export const YAML = { compat: 'yaml-1.1' } as const;

/** Options for the text of a document: no text is wrapped. */
export const NO_WRAPPING = { lineWidth: 0, doubleQuotedMinMultiLineLength: 1e9 } as const;

/** PLAIN for texts that a reader takes for nothing else, QUOTE_DOUBLE for others, hexadecimal digests included. */
export function yamlStyle(text: string): 'PLAIN' | 'QUOTE_DOUBLE' {
  const isPlain =
    /^[A-Za-z0-9+/=_ .:-]+$/.test(text) && /[g-zG-Z]/.test(text) && !/: |[: ]$|^[ -]/.test(text);
  return isPlain ? 'PLAIN' : 'QUOTE_DOUBLE';
}

/** Escapes every character that is not printable ASCII. Only texts in double quotes may contain such characters. */
export function escapeYaml(yaml: string): string {
  return yaml.replace(/[^\x0a\x20-\x7e]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16).toUpperCase();
    return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
  });
}
