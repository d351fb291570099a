/**
 * Right bytes in another writing than the one that is due.
 *
 * @module
 */
import { bytesOf, type Due, written } from './due.ts';
import { changedBy, madeBy, type Rewriting } from './rewriting.ts';

const HEXADECIMAL = /^(?:[0-9A-Fa-f]{2}){8,}$/;
const UNPADDED = /^[A-Za-z0-9+/_-]{4,}$/;
const BASE64 = /^[A-Za-z0-9+/_-]{16,}={0,2}$/;

const inDueWriting = ({ writing }: Due): string => `write it in ${writing?.name}`;

function isHexadecimalDue({ writing }: Due): boolean {
  return writing?.id === 'hexadecimal';
}

/** The text as bytes, written as is due. */
function rewritten(text: string, { writing }: Due): string | undefined {
  const bytes = bytesOf(text);
  return bytes && writing && written(bytes, writing);
}

export const DIGEST_SHAPES: readonly Rewriting[] = [
  {
    id: 'hexadecimal',
    what: 'in hexadecimal',
    fix: inDueWriting,
    undone: (text, due) =>
      !isHexadecimalDue(due) && HEXADECIMAL.test(text) && !HEXADECIMAL.test(due.text)
        ? rewritten(text, due)
        : undefined,
    telling: true,
    ofSignature: true,
  },
  {
    id: 'base64',
    what: 'in Base64',
    fix: inDueWriting,
    undone: (text, due) =>
      isHexadecimalDue(due) && BASE64.test(text) && !/^[0-9A-Fa-f]+$/.test(text)
        ? rewritten(text, due)
        : undefined,
    telling: true,
    ofSignature: true,
  },
  {
    id: 'base64-of-hexadecimal',
    what: 'as Base64 of its hexadecimal text',
    fix: (due) => `take the bytes of the digest, not of its text, and ${inDueWriting(due)}`,
    undone: (text, due) => {
      const inner = BASE64.test(text) ? Buffer.from(text, 'base64').toString('latin1') : '';
      return HEXADECIMAL.test(inner) ? rewritten(inner, due) : undefined;
    },
    telling: true,
    ofSignature: true,
  },
  {
    id: 'base64-twice',
    what: 'in Base64 twice',
    fix: 'encode it once',
    undone: (text, { writing }) => {
      const inner = BASE64.test(text) ? Buffer.from(text, 'base64').toString('latin1') : '';
      return writing?.id !== 'hexadecimal' && /^[A-Za-z0-9+/_-]{16,}=+$/.test(inner)
        ? inner
        : undefined;
    },
    telling: true,
    ofSignature: true,
  },
  {
    id: 'base64-missing',
    what: 'not in Base64',
    fix: inDueWriting,
    undone: (text, due) =>
      /^(?:value|policy)$/.test(due.stage)
        ? madeBy((right) => Buffer.from(right, 'base64').toString('utf8'))(text, due)
        : undefined,
  },
  {
    id: 'upper-case-hexadecimal',
    what: 'in upper-case hexadecimal',
    fix: inDueWriting,
    undone: (text, due) =>
      isHexadecimalDue(due) && HEXADECIMAL.test(text) && /[A-F]/.test(text)
        ? text.toLowerCase()
        : undefined,
    telling: true,
    ofSignature: true,
  },
  {
    id: 'hexadecimal-separated',
    what: 'with marks between its bytes',
    fix: 'write the digits alone',
    undone: changedBy((text) =>
      /^(?:0x)?[0-9A-Fa-f]{2}(?:[-: ](?:0x)?[0-9A-Fa-f]{2}){7,}$/.test(text)
        ? text.replaceAll(/0x|[-: ]/g, '')
        : text,
    ),
    telling: true,
    ofSignature: true,
  },
  {
    id: 'hexadecimal-prefixed',
    what: 'with 0x in front of it',
    fix: 'write the digits alone',
    undone: changedBy((text) => text.replace(/^0[xX](?=[0-9A-Fa-f]{16,}$)/, '')),
    telling: true,
    ofSignature: true,
  },
  {
    id: 'leading-zeros-lost',
    what: 'without its leading zeros',
    fix: 'write two digits for each byte',
    undone: madeBy((right) => right.replace(/^0+/, '')),
    ofSignature: true,
  },
  {
    id: 'padding-missing',
    what: 'without its padding',
    fix: 'end it with "=" up to a multiple of 4 characters',
    undone: (text, { writing }) =>
      writing?.id !== 'hexadecimal' && UNPADDED.test(text) && [2, 3].includes(text.length % 4)
        ? text.padEnd(Math.ceil(text.length / 4) * 4, '=')
        : undefined,
    telling: true,
    ofSignature: true,
  },
  {
    id: 'url-safe-alphabet',
    what: 'in the URL-safe alphabet',
    fix: inDueWriting,
    undone: (text, { writing }) =>
      writing?.id === 'base64' && BASE64.test(text) && /[-_]/.test(text)
        ? text.replaceAll('-', '+').replaceAll('_', '/')
        : undefined,
    telling: true,
    ofSignature: true,
  },
  {
    id: 'standard-alphabet',
    what: 'in the standard alphabet',
    fix: inDueWriting,
    undone: (text, { writing }) =>
      writing?.id === 'base64url' && BASE64.test(text) && /[+/]/.test(text)
        ? text.replaceAll('+', '-').replaceAll('/', '_')
        : undefined,
    telling: true,
    ofSignature: true,
  },
];
