/**
 * A right text that was encoded, decoded or escaped once too often, or not at all (§5.3).
 *
 * @module
 */
import { urlDecode, urlEncode } from '../../../reference/signing/bytes.ts';
import { changedBy, madeBy, type Rewriting } from './rewriting.ts';

const IS_URL = /^(?:encoded|query|target|url)$/;

/** Undoes it in the text as it is and, in what §5.3 encodes, below the encoding. */
function onText(change: (text: string) => string | undefined): Rewriting['undone'] {
  return changedBy((text) => {
    const changed = change(text);
    if (changed !== undefined && changed !== text) return changed;
    return text.replaceAll(/[^/?&=:]+/g, (piece) => {
      const inner = piece.includes('%') ? urlDecode(piece) : undefined;
      const again = inner === undefined ? undefined : change(inner);
      return again === undefined || again === inner ? piece : urlEncode(again);
    });
  });
}

function readAsUtf8(text: string): string | undefined {
  if (!/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return undefined;
  const right = Buffer.from(text, 'latin1').toString('utf8');
  return right.includes('\ufffd') ? undefined : right;
}

/** The right answer, where the given one is it in another normal form. */
function inDueNormalForm(text: string, right: string): string | undefined {
  const [given, due] = [urlDecode(text) ?? text, urlDecode(right) ?? right];
  return given !== due && given.normalize('NFC') === due.normalize('NFC') ? right : undefined;
}

export const ENCODINGS: readonly Rewriting[] = [
  {
    id: 'encoded-twice',
    what: 'percent-encoded once too often',
    fix: 'encode each part once (§5.3)',
    undone: (text, due) =>
      IS_URL.test(due.stage)
        ? changedBy((one) => one.replaceAll(/%25(?=[0-9A-Fa-f]{2})/g, '%'))(text, due)
        : undefined,
  },
  {
    id: 'encoded-whole',
    what: 'percent-encoded as a whole',
    fix: 'encode each name and value, not the marks between them (§5.3)',
    undone: (text, due) => madeBy(urlEncode)(text, due) ?? madeBy(encodeURIComponent)(text, due),
  },
  {
    id: 'encoded-signature',
    what: 'percent-encoded',
    fix: 'only a query has its signature encoded; write it as it is',
    undone: (text, due) => (due.stage === 'url' ? undefined : changedBy(decodedBase64)(text, due)),
    ofSignature: true,
  },
  {
    id: 'signature-not-encoded',
    what: 'with its signature not percent-encoded',
    fix: 'encode the signature, its "+", "/" and "=" as well (§5.4)',
    undone: (text, due) =>
      due.stage === 'url' ? changedBy(encodedSignature)(text, due) : undefined,
    telling: true,
  },
  {
    id: 'not-encoded',
    what: 'not percent-encoded',
    fix: 'encode each name and value (§5.3)',
    undone: (text, due) => (IS_URL.test(due.stage) ? madeBy(urlDecode)(text, due) : undefined),
  },
  {
    id: 'escapes-in-lower-case',
    what: 'with escapes in lower case',
    fix: 'write escapes in upper case (§5.3)',
    undone: (text, due) =>
      IS_URL.test(due.stage)
        ? changedBy((one) =>
            one.replaceAll(/%[0-9A-Fa-f]{2}/g, (triplet) => triplet.toUpperCase()),
          )(text, due)
        : undefined,
  },
  {
    id: 'spaces-as-plus',
    what: 'with "+" for a space',
    fix: 'write a space as "%20" (§5.3)',
    undone: (text, due) =>
      IS_URL.test(due.stage)
        ? changedBy((one) => one.replaceAll('+', '%20'))(text, due)
        : undefined,
  },
  {
    id: 'html-escaped',
    what: 'escaped as in HTML',
    fix: 'write "&" as it is',
    undone: changedBy((text) =>
      text
        .replaceAll(/&(?:quot|#34);/g, '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll(/&(?:amp|#38);/g, '&'),
    ),
    telling: true,
  },
  {
    id: 'json-escaped',
    what: 'with the escapes of JSON',
    fix: 'take the text itself, not its JSON',
    undone: (text, due) =>
      due.stage === 'body'
        ? undefined
        : changedBy((one) =>
            one
              .replaceAll(/\\u([0-9A-Fa-f]{4})/g, (_, code: string) =>
                String.fromCharCode(Number.parseInt(code, 16)),
              )
              .replaceAll(/\\([/"])/g, '$1'),
          )(text, due),
    telling: true,
  },
  {
    id: 'utf-8-as-latin-1',
    what: 'with its UTF-8 read as Latin-1',
    fix: 'read and write all text as UTF-8',
    undone: onText(readAsUtf8),
  },
  {
    id: 'latin-1-encoded',
    what: 'encoded by its Latin-1 bytes',
    fix: 'encode the UTF-8 bytes (§5.3)',
    undone: madeBy((right) => {
      const text = urlDecode(right);
      return text !== undefined && /[\x80-\xff]/.test(text) && !/[^\0-\xff]/.test(text)
        ? right.replaceAll(/(?:%[89A-F][0-9A-F])+/g, (run) => latin1Escapes(urlDecode(run) ?? run))
        : undefined;
    }),
  },
  {
    id: 'normal-form',
    what: 'in another Unicode normal form',
    fix: 'take the text as it is given, without normalizing it',
    undone: (text, due) => inDueNormalForm(text, due.text),
  },
];

function latin1Escapes(text: string): string {
  return [...Buffer.from(text, 'latin1')]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

function decodedBase64(text: string): string {
  return text.replaceAll(/%(?:2B|2F|3D)/gi, (triplet) => urlDecode(triplet) ?? triplet);
}

function encodedSignature(url: string): string {
  return url.replace(
    /([?&]Signature=)([A-Za-z0-9+/=]{16,})(?=&|$)/,
    (_, before: string, signature: string) => before + urlEncode(signature),
  );
}
