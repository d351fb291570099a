/**
 * What may happen to a request after it was signed, so that a verifier must refuse it.
 *
 * @module
 */
import fc from 'fast-check';
import {
  type HeaderList,
  type Pair,
  type ParameterValue,
  urlEncode,
} from '../../reference/signing/index.ts';
import type { Input, KeyPair } from '../suite/vector.ts';
import type { Change } from './draft.ts';
import { character, oneOf } from './texts.ts';

/** A change of one of these kinds. */
export function changeOf(kinds: readonly string[]): fc.Arbitrary<Change> {
  return fc.record({ kind: oneOf(...kinds), at: fc.nat(30), text: character });
}

/** How the wrong signature of a request came about. */
export interface Wrong {
  /** The request that was signed. */
  readonly signed: Input;
  /** The keys it was signed with. */
  readonly keys: KeyPair;
  readonly rewritten: (signature: string) => string;
  /** The account that the verifier knows. */
  readonly account: KeyPair;
}

/** The signed request was another one; by the name of the change. Yields nothing where there is nothing to change. */
const SIGNED: Readonly<Record<string, (sent: Input, change: Change) => Input | undefined>> = {
  key: (sent, change) => textChanged(sent, 'key', change),
  bucket: (sent) => ({ ...sent, bucket: `${sent['bucket']}2` }),
  method: (sent) => ({ ...sent, method: sent['method'] === 'GET' ? 'PUT' : 'GET' }),
  expires: (sent) => ({ ...sent, expires: `${sent['expires']}9` }),
  'header-value': (sent, { at, text }) =>
    itemChanged(sent, 'headers', at, ([name, value]) => [[name, `${value}${text}`]]),
  'header-name': (sent, { at, text }) =>
    itemChanged(sent, 'headers', at, ([name, value]) => [
      [`${name.trim()}${/^[A-Za-z0-9]$/.test(text) ? text : 'c'}`, value],
    ]),
  'header-dropped': (sent, { at }) => itemChanged(sent, 'headers', at, () => []),
  'parameter-value': (sent, { at, text }) =>
    itemChanged(sent, 'parameters', at, ([name, value]) =>
      isOwn(name) ? undefined : [[name, otherValue(value, text)]],
    ),
  'parameter-name': (sent, { at, text }) =>
    itemChanged(sent, 'parameters', at, ([name, value]) =>
      isOwn(name) ? undefined : [[name + text, value]],
    ),
  'parameter-dropped': (sent, { at }) =>
    itemChanged(sent, 'parameters', at, ([name]) => (isOwn(name) ? undefined : [])),
};

/** The signature itself was changed. The last characters of Base64 are left alone: not all of their bits count. */
const REWRITTEN: Readonly<Record<string, (signature: string, change: Change) => string>> = {
  'signature-changed': (signature, { at }) => {
    const i = at % (signature.length - 4);
    const by = signature[i] === 'b' ? 'c' : 'b';
    return signature.slice(0, i) + by + signature.slice(i + 1);
  },
  'signature-cut': (signature) => signature.slice(0, -4),
  'signature-longer': (signature) => `${signature}a`,
  'signature-with-blank': (signature, { at }) => (at % 2 === 0 ? `${signature} ` : ` ${signature}`),
};

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The same digest, written as §5.2 does not write it. */
const RESPELLED: typeof REWRITTEN = {
  'signature-in-hexadecimal': (signature) => Buffer.from(signature, 'base64').toString('hex'),
  'signature-in-lower-case': (signature) => signature.toLowerCase(),
  'signature-url-safe': (signature) => signature.replaceAll('+', '-').replaceAll('/', '_'),
  'signature-without-padding': (signature) => signature.replace(/(?<!=)=+$/, ''),
  // The last digit of 20 bytes has two bits that say nothing.
  'signature-with-other-bits': (signature) =>
    signature.replace(/.(?==$)/, (digit) => BASE64[BASE64.indexOf(digit) ^ 1] ?? ''),
  'signature-with-blank-for-plus': (signature) => signature.replaceAll('+', ' '),
  'signature-encoded-twice': urlEncode,
};

export const FILE_CHANGES: readonly string[] = [
  'key',
  'bucket',
  'method',
  'header-value',
  'header-name',
  'header-dropped',
  ...Object.keys(RESPELLED),
];
export const PARAMETER_CHANGES: readonly string[] = [
  'parameter-value',
  'parameter-name',
  'parameter-dropped',
];
export const ANY_CHANGES: readonly string[] = [
  ...Object.keys(REWRITTEN),
  'private-key',
  'public-key',
];

/** What a change makes of a request that is sent; nothing where it has nothing to change. */
export function wrong(sent: Input, keys: KeyPair, change: Change): Wrong | undefined {
  const own: Wrong = { signed: sent, keys, account: keys, rewritten: (signature) => signature };
  const signed = SIGNED[change.kind];
  if (signed) {
    const request = signed(sent, change);
    return request && { ...own, signed: request };
  }
  const rewritten = REWRITTEN[change.kind] ?? RESPELLED[change.kind];
  if (rewritten) return { ...own, rewritten: (signature) => rewritten(signature, change) };
  if (change.kind === 'private-key') {
    return { ...own, keys: { ...keys, privateKey: `${keys.privateKey}2` } };
  }
  return { ...own, account: { ...keys, publicKey: `${keys.publicKey}2` } };
}

function isOwn(name: string): boolean {
  return name === 'Action' || name === 'PublicKey';
}

function textChanged(sent: Input, member: string, { at, text }: Change): Input {
  const characters = [...String(sent[member])];
  characters.splice(at % (characters.length + 1), 1, text);
  return { ...sent, [member]: characters.join('') };
}

function itemChanged<Item extends HeaderList[number] | readonly [string, ParameterValue]>(
  sent: Input,
  member: string,
  at: number,
  changed: (item: Item) => readonly (Item | Pair)[] | undefined,
): Input | undefined {
  const items = sent[member] as readonly Item[];
  const index = at % (items.length || 1);
  const item = items[index];
  const replacement = item && changed(item);
  return (
    replacement && {
      ...sent,
      [member]: [...items.slice(0, index), ...replacement, ...items.slice(index + 1)],
    }
  );
}

function otherValue(value: ParameterValue, text: string): ParameterValue {
  if (typeof value === 'string') return value + text;
  if (typeof value === 'boolean') return !value;
  if (value !== null && 'number' in value) return { number: value.number === '1' ? '2' : '1' };
  return text;
}
