/**
 * XML 1.0 as text.
 *
 * @module
 */
import { escapeUnit } from '../../reference/escapes.ts';

/** Characters that XML 1.0 cannot contain, even as a reference. They are written as JSON escapes. */
const UNSAYABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** The references of characters, in XML and in HTML. */
export const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Escapes a text so that an XML reader returns it unchanged, except for characters that XML cannot contain. */
function escaped(text: string, special: RegExp): string {
  return text
    .replace(UNSAYABLE, escapeUnit)
    .replace(special, (character) => REFERENCES[character] ?? character);
}

type Attributes = Readonly<Record<string, string | number>>;

/** An element on its own lines; `inside` is already XML. */
export function element(name: string, attributes: Attributes, inside: readonly string[]): string {
  const start = tag(name, attributes);
  return inside.length === 0 ? `<${start}/>\n` : `<${start}>\n${inside.join('')}</${name}>\n`;
}

/** An element that contains text. */
export function textElement(name: string, attributes: Attributes, text: string): string {
  return `<${tag(name, attributes)}>${escaped(text, /[&<>\r]/g)}</${name}>\n`;
}

function tag(name: string, attributes: Attributes): string {
  const pairs = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escaped(String(value), /[&<>"\t\n\r]/g)}"`,
  );
  return name + pairs.join('');
}
