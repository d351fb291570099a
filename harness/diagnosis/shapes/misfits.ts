/**
 * Answers whose shape no rewriting makes right: no answer at all, or other bytes than those of the digest.
 *
 * @module
 */
import { bytesOf, type Due, signaturePlace, written } from './due.ts';

export interface Misfit {
  readonly id: string;
  readonly fix: string | ((due: Due) => string);
  /** What it is, to go on after "the answer is …"; nothing where it is not this. */
  readonly what: (text: string, due: Due) => string | undefined;
}

/** What languages write where there is no text. */
const NO_VALUE = /^(?:null|undefined|none|nil|nan|true|false|\(null\)|<nil>|\[object \w+\])$/i;

/** Objects shown in place of their text. */
const OBJECT = /\[object \w+\]|^<[\w .]+ at 0x[0-9a-f]+>$|^\[B@[0-9a-f]+$/i;

/** Lengths of digests, in bytes. */
const DIGESTS: Readonly<Record<number, string>> = {
  4: 'a CRC-32',
  16: 'an MD5',
  28: 'a SHA-224',
  32: 'a SHA-256',
  48: 'a SHA-384',
  64: 'a SHA-512',
};

/** The signature, or the whole where the whole is due to be bytes. */
function bytesPart(text: string, { operation, stage }: Due): string | undefined {
  if (stage === 'etag') return text;
  const signature = signaturePlace(operation, stage, text)?.signature;
  return stage === 'url' ? signature?.replaceAll(/%(2B|2F|3D)/g, decodeURIComponent) : signature;
}

function cutText(text: string, due: Due): string | undefined {
  const [given, right] = [bytesPart(text, due), bytesPart(due.text, due)];
  if (given === undefined || right === undefined || !due.writing) return undefined;
  const bytes = bytesOf(given);
  const same = given.length >= 8 && given.length < right.length && right.startsWith(given);
  const again = bytes && written(bytes, due.writing).replace(/(?:[^=]=*|(?<!=)=+)$/, '');
  const isStart = again !== undefined && again.length >= 8 && right.startsWith(again);
  if (!same && !(isStart && again.length < right.replace(/(?<!=)=+$/, '').length - 1))
    return undefined;
  return `the right digest, cut to ${given.length} of ${right.length} characters`;
}

function otherLength(text: string, due: Due): string | undefined {
  const given = bytesOf(bytesPart(text, due) ?? '')?.length;
  const right = bytesOf(bytesPart(due.text, due) ?? '')?.length;
  if (given === undefined || right === undefined || given === right) return undefined;
  const known = DIGESTS[given];
  const like = known === undefined ? '' : `, as long as ${known}`;
  return `${given} bytes where ${right} are due${like}`;
}

export const MISFITS: readonly Misfit[] = [
  {
    id: 'empty',
    fix: 'give the text',
    what: (text, due) => (text === '' && due.text !== '' ? 'empty' : undefined),
  },
  {
    id: 'signature-empty',
    fix: 'write the signature where it belongs',
    what: (text, due) =>
      text !== '' && bytesPart(text, due) === '' ? 'without any signature' : undefined,
  },
  {
    id: 'no-value',
    fix: 'where there is nothing to answer, reply with refused, error or unsupported',
    what: (text, due) => {
      const word = [text, bytesPart(text, due) ?? ''].find((one) => NO_VALUE.test(one.trim()));
      return word === undefined ? undefined : `the word ${word.trim()} in place of a value`;
    },
  },
  {
    id: 'object-shown',
    fix: 'write the text of the object',
    what: (text, due) =>
      [text, bytesPart(text, due) ?? ''].some((one) => OBJECT.test(one)) && !OBJECT.test(due.text)
        ? 'an object shown in place of its text'
        : undefined,
  },
  {
    id: 'replacement-characters',
    fix: 'take bytes as bytes: write them in hexadecimal or Base64, never as text',
    what: (text, due) =>
      text.includes('\ufffd') && !due.text.includes('\ufffd')
        ? 'bytes read as text (U+FFFD stands for what is no UTF-8)'
        : undefined,
  },
  { id: 'cut', fix: 'write the whole digest', what: cutText },
  {
    id: 'digit-count',
    fix: 'write two digits for each byte (§5.1)',
    what: (text, due) => {
      const given = bytesPart(text, due) ?? '';
      return due.writing?.id === 'hexadecimal' &&
        /^[0-9a-f]{8,}$/i.test(given) &&
        given.length !== 40 &&
        DIGESTS[given.length / 2] === undefined
        ? `${given.length} hexadecimal digits where 40 are due`
        : undefined;
    },
  },
  {
    id: 'other-length',
    fix: ({ operation }) =>
      operation === 'etag'
        ? 'take the block count, 4 bytes, and the SHA-1, 20 bytes (§2)'
        : 'take SHA-1, 20 bytes',
    what: otherLength,
  },
];
