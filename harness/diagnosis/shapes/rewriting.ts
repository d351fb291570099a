/**
 * A way in which a right answer is written wrongly, and how it is undone.
 *
 * @module
 */
import { urlDecode, urlEncode } from '../../../reference/signing/bytes.ts';
import { type Due, signaturePlace } from './due.ts';

export interface Rewriting {
  readonly id: string;
  /** Goes on after "the right answer, …". */
  readonly what: string;
  readonly fix: string | ((due: Due) => string);
  /** The text as it would be without this; nothing where it is not written so. */
  readonly undone: (text: string, due: Due) => string | undefined;
  /** It can be told by the text alone, be the digest right or not. */
  readonly telling?: true;
  /** It is about the signature, wherever that stands in the answer. */
  readonly ofSignature?: true;
}

/** A text that was written so, and only if it was right before. */
export function madeBy(made: (right: string) => string | undefined): Rewriting['undone'] {
  return (text, due) => (text !== due.text && made(due.text) === text ? due.text : undefined);
}

/** The text with something taken away or put back; nothing where that leaves it as it is. */
export function changedBy(change: (text: string) => string | undefined): Rewriting['undone'] {
  return (text) => {
    const changed = change(text);
    return changed === text ? undefined : changed;
  };
}

/** Undoes it in the whole answer, or in its signature alone. */
export function undoneIn(
  { undone, ofSignature }: Rewriting,
  text: string,
  due: Due,
): string | undefined {
  if (!ofSignature || due.writing === undefined) return ofSignature ? undefined : undone(text, due);
  const here = signaturePlace(due.operation, due.stage, text);
  const right = signaturePlace(due.operation, due.stage, due.text);
  if (!right) return undone(text, due);
  if (!here) return undefined;
  const isEncoded = due.stage === 'url';
  const bare = isEncoded ? urlDecode(here.signature) : here.signature;
  const rightBare = (isEncoded ? urlDecode(right.signature) : right.signature) ?? '';
  const changed = bare === undefined ? undefined : undone(bare, { ...due, text: rightBare });
  if (changed === undefined) return undefined;
  return here.before + (isEncoded ? urlEncode(changed) : changed) + here.after;
}
