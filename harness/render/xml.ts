/**
 * XML 1.0 as text.
 *
 * @module
 */

/** What XML 1.0 cannot say at all, not even as a reference: it is shown as JSON would write it. */
const UNSAYABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Text that any reader gives back as it was, but for what XML cannot say. */
function escaped(text: string, special: RegExp): string {
  return text
    .replace(
      UNSAYABLE,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    .replace(special, (character) => REFERENCES[character] ?? character);
}

export type Attributes = Readonly<Record<string, string | number>>;

/** An element on lines of its own; `inside` is XML already. */
export function element(name: string, attributes: Attributes, inside: readonly string[]): string {
  const start = tag(name, attributes);
  return inside.length === 0 ? `<${start}/>\n` : `<${start}>\n${inside.join('')}</${name}>\n`;
}

/** An element that holds text. */
export function textElement(name: string, attributes: Attributes, text: string): string {
  return `<${tag(name, attributes)}>${escaped(text, /[&<>\r]/g)}</${name}>\n`;
}

function tag(name: string, attributes: Attributes): string {
  const pairs = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escaped(String(value), /[&<>"\t\n\r]/g)}"`,
  );
  return name + pairs.join('');
}
