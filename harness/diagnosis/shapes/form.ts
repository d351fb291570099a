/**
 * The form of an answer: what surrounds it, how its signature is written, how long that is.
 *
 * @module
 */
import { urlDecode } from '../../../reference/signing/bytes.ts';
import { bytesOf, type Place, signaturePlace, type Writing, writingOf } from './due.ts';

export interface Shape {
  readonly id: string;
  /** What is wrong, as a clause. */
  readonly what: string;
  /** What to do instead, as a clause. */
  readonly fix: string;
}

export interface Form {
  /** What surrounds the text, the outermost first. */
  readonly marks: readonly Shape[];
  /** The text without its marks. */
  readonly text: string;
  /** Where the signature is in it. */
  readonly place?: Place;
  /** How the signature should be written; absent where nothing of the text is bytes. */
  readonly writing?: Writing;
  /** How a sentence names the signature. */
  readonly noun: string;
  readonly signatureMarks: readonly Shape[];
  /** The signature without its marks and without the escapes of a URL. */
  readonly signature: string;
  readonly traits: readonly string[];
  /** What the signature stands for; absent where it is written in no known way. */
  readonly bytes?: Buffer;
}

type Mark = readonly [id: string, clause: string, fix: string, pattern: RegExp, inner?: string];

const NOT_BEHIND = 'write nothing behind it';
const NOT_IN_FRONT = 'write nothing in front of it';
const NO_QUOTES = 'write it without quotes';

/** What surrounds a text without being part of it. */
const MARKS: readonly Mark[] = [
  ['line-end', 'ends with a line break', NOT_BEHIND, /(?<![\r\n])[\r\n]+$/],
  ['nul', 'ends with a NUL', NOT_BEHIND, /(?<!\0)\0+$/],
  ['blank-behind', 'ends with a space or a tab', NOT_BEHIND, /(?<![ \t])[ \t]+$/],
  ['blank-in-front', 'starts with whitespace', NOT_IN_FRONT, /^[ \t\r\n]+/],
  ['byte-order-mark', 'starts with a byte order mark', NOT_IN_FRONT, /^\ufeff/],
  ['double-quotes', 'is in double quotes', NO_QUOTES, /^"(.*)"$/s, '$1'],
  ['single-quotes', 'is in single quotes', NO_QUOTES, /^'(.*)'$/s, '$1'],
  ['python-bytes', "is in b'', as Python prints bytes", 'decode it', /^b(['"])(.*)\1$/s, '$2'],
  ['whole-url', 'starts with a scheme and a host', 'leave them out', /^https?:\/\/[^/?]*(?=[/?])/],
  ['question-mark', 'starts with a question mark', 'write what follows it', /^\/?\?/],
];

/** Of what a result holds, only bodies break lines. */
const BROKEN: Mark = ['line-broken', 'is broken into lines', 'write one line', /[\r\n]+/g];

/** A text with more marks is another text. */
const MOST_MARKS = 4;

/** What is no answer any more. */
const LOSSES: readonly Mark[] = [
  ['empty', 'is empty', 'write the text', /^$/],
  [
    'no-value',
    'is the word {} in the place of a value',
    'where there is nothing to answer, reply with refused, error or unsupported',
    /^(?:null|undefined|none|nil|nan|true|false|\(null\)|<nil>|\[object \w+\])$/i,
  ],
  [
    'object-shown',
    'has an object in the place of its text',
    'write the text of the object',
    /\[object \w+\]|^<[\w .]+ at 0x[0-9a-f]+>$|^\[B@[0-9a-f]+$|^System\.Byte\[\]$|^\d+ bytes$/i,
  ],
  [
    'replacement-characters',
    'has U+FFFD, as if bytes were read as text',
    'write bytes in hexadecimal or Base64',
    /\ufffd/,
  ],
];

const isHexadecimal = (text: string): boolean => /^[0-9A-Fa-f]{16,}$/.test(text);
const isBase64 = (text: string): boolean =>
  !isHexadecimal(text) && /^[\w+/-]{8,}={0,2}$/.test(text);

type Is = (text: string, inUrl: string) => boolean;

/** How a signature is written; without a fix of its own, it should be in the writing that is due. */
const TRAITS: readonly (readonly [id: string, clause: string, is: Is, fix?: string])[] = [
  ['hexadecimal', 'is in hexadecimal', isHexadecimal],
  ['base64', 'is in Base64', isBase64],
  [
    'upper-case-hexadecimal',
    'is in upper-case hexadecimal',
    (text) => isHexadecimal(text) && /[A-F]/.test(text),
  ],
  [
    'padding-missing',
    'lacks its padding',
    (text) => isBase64(text) && !text.endsWith('=') && text.length % 4 > 1,
    'end it with "=" up to a multiple of 4 characters',
  ],
  ['url-safe-alphabet', 'has "-" or "_"', (text) => isBase64(text) && /[-_]/.test(text)],
  ['standard-alphabet', 'has "+" or "/"', (text) => isBase64(text) && /[+/]/.test(text)],
  [
    'signature-not-encoded',
    'is not percent-encoded',
    (_, inUrl) => /[+/=]/.test(inUrl),
    'encode its "+", "/" and "=" as well (§5.4)',
  ],
];

/** Digests by their length in bytes, and texts of a SHA-1 that are taken for its bytes. */
const DIGESTS: Readonly<Record<number, string>> = {
  4: 'a CRC-32',
  16: 'an MD5',
  28: 'a SHA-224 or the Base64 of a SHA-1',
  32: 'a SHA-256',
  40: 'the hexadecimal digits of a SHA-1',
  48: 'a SHA-384',
  64: 'a SHA-512',
};

/** @param due the form of the right answer, whose own marks are no mistakes; absent for the right answer itself */
export function formOf(operation: string, stage: string, whole: string, due?: Form): Form {
  const wrong = due ? MARKS.filter(([, , , pattern]) => !pattern.test(due.text)) : [];
  const [text, marks] = unmarked(whole, 'the answer', wrong);
  const writing = writingOf(operation, stage);
  const noun = writing && !writing.isText ? 'the digest' : 'the answer';
  const place = signaturePlace(operation, stage, text);
  const raw = place?.signature ?? '';
  const inUrl = stage === 'url' ? raw : '';
  const [signature, signatureMarks] = unmarked(
    urlDecode(inUrl) || raw,
    noun,
    due ? [...MARKS, BROKEN] : [],
  );
  const traits = TRAITS.filter(([, , is]) => is(signature, inUrl)).map(([id]) => id);
  const bytes = bytesOf(signature);
  const found = { ...(place && { place }), ...(writing && { writing }), ...(bytes && { bytes }) };
  return { marks, text, noun, signatureMarks, signature, traits, ...found };
}

function unmarked(
  whole: string,
  noun: string,
  marks: readonly Mark[],
): readonly [text: string, marks: readonly Shape[]] {
  const found: Shape[] = [];
  let text = whole;
  while (found.length < MOST_MARKS) {
    const mark = marks.find(([, , , pattern]) => text.search(pattern) >= 0);
    if (!mark) break;
    const [id, clause, fix, pattern, inner = ''] = mark;
    text = text.replace(pattern, inner);
    found.push({ id, what: `${noun} ${clause}`, fix });
  }
  return [text, found];
}

/** Where a signature has another form than the one that is due: its marks, its writing, its length. */
export function signatureShapes(given: Form, { writing, traits, bytes }: Form): readonly Shape[] {
  const { noun, signatureMarks } = given;
  if (!writing) return signatureMarks;
  const isOther = (id: string): boolean =>
    id !== writing.trait && given.traits.includes(id) && !traits.includes(id);
  const others = TRAITS.filter(([id]) => isOther(id));
  // Bytes in another writing have no other alphabet or padding besides.
  const [family] = others.filter(([id]) => id === 'hexadecimal' || id === 'base64');
  const shapes = (family ? [family] : others).map(([id, clause, , fix]) => {
    return { id, what: `${noun} ${clause}`, fix: fix ?? `write it in ${writing.name}` };
  });
  const length = bytes && !writing.isText ? lengthShapes(given, bytes.length) : [];
  return [...signatureMarks, ...shapes, ...length];
}

function lengthShapes({ bytes, signature }: Form, due: number): readonly Shape[] {
  if (!bytes && isHexadecimal(signature)) {
    const what = `the digest has ${signature.length} hexadecimal digits`;
    return [{ id: 'digit-count', what, fix: 'write two digits for each byte (§5.1)' }];
  }
  if (!bytes || bytes.length === due) return [];
  const known = DIGESTS[bytes.length];
  const like = known === undefined ? '' : `, as many as ${known}`;
  const right = due > 20 ? 'the block count, 4 bytes, and the SHA-1' : 'the SHA-1';
  const what = `the digest has ${bytes.length} bytes${like}`;
  return [{ id: 'other-length', what, fix: `take ${right}, 20 bytes` }];
}

/** What an answer has lost; nothing where it may be whole. */
export function lossIn(
  { text, signature, place, noun, bytes }: Form,
  due: Form,
): Shape | undefined {
  for (const [id, clause, fix, pattern] of LOSSES) {
    const isOfText = pattern.test(text) && !pattern.test(due.text);
    if (!isOfText && !(place && pattern.test(signature))) continue;
    const shown = clause.replace('{}', signature || text);
    return { id, what: `${isOfText ? 'the answer' : noun} ${shown}`, fix };
  }
  if (!due.bytes || due.writing?.isText || bytes?.equals(due.bytes)) return undefined;
  const [length, most] = [signature.length, due.signature.length];
  if (length < 8 || !due.signature.startsWith(signature)) return undefined;
  const what = `the right digest is cut to ${length} of ${most} characters`;
  return { id: 'cut', what, fix: 'write the whole digest' };
}
