/**
 * Changes that make a request wrong: after signing, so that a verifier must refuse it; or before, so that a signer must (§4, §5).
 *
 * Requests about which the rules are open are left out: null, repeated names, repeated positional headers. Lone
 * surrogates are left out too: many JSON parsers replace them, so an adapter may never see them.
 *
 * @module
 */
import fc from 'fast-check';
import {
  type ActionParameters,
  type Pair,
  type ParameterValue,
  urlEncode,
} from '../../../reference/signing/index.ts';
import type { Input, KeyPair } from '../../engine/vector.ts';
import { setUnusedBit } from '../forgeries.ts';
import { type Change, itemAt } from './draft.ts';
import { character, oneOf } from './texts.ts';

export function changeArbitrary(kinds: readonly string[]): fc.Arbitrary<Change> {
  return fc.record({ kind: oneOf(...kinds), at: fc.nat(30), text: character });
}

/** The origin of a wrong signature. */
export interface WrongSignature {
  /** The request that was signed. */
  readonly signed: Input;
  /** The keys it was signed with. */
  readonly keys: KeyPair;
  readonly rewrite: (signature: string) => string;
  /** The account that the verifier knows. */
  readonly account: KeyPair;
}

/** Changes of the signed request, by kind; undefined if the request has nothing to change. */
const SIGNED: Readonly<Record<string, (sent: Input, change: Change) => Input | undefined>> = {
  key: (sent, { at, text }) => {
    const characters = [...String(sent.key)];
    return { ...sent, key: characters.toSpliced(at % (characters.length + 1), 1, text).join('') };
  },
  bucket: (sent) => ({ ...sent, bucket: `${sent['bucket']}2` }),
  method: (sent) => ({ ...sent, method: sent['method'] === 'GET' ? 'PUT' : 'GET' }),
  expires: (sent) => ({ ...sent, expires: `${sent['expires']}9` }),
  'header-value': (sent, { at, text }) =>
    changeHeader(sent, at, ([name, value]) => [[name, `${value}${text}`]]),
  'header-name': (sent, { at, text }) =>
    changeHeader(sent, at, ([name, value]) => [
      [`${name.trim()}${/^[A-Za-z0-9]$/.test(text) ? text : 'c'}`, value],
    ]),
  'header-dropped': (sent, { at }) => changeHeader(sent, at, () => []),
  'parameter-value': (sent, { at, text }) =>
    changeParameter(sent, at, ([name, value]) => [[name, otherValue(value, text)]]),
  'parameter-name': (sent, { at, text }) =>
    changeParameter(sent, at, ([name, value]) => [[name + text, value]]),
  'parameter-dropped': (sent, { at }) => changeParameter(sent, at, () => []),
};

/** Changes of the signature. The last characters stay: some of their bits have no meaning in Base64. */
const DAMAGED: Readonly<Record<string, (signature: string, change: Change) => string>> = {
  'signature-changed': (signature, { at }) => {
    const i = at % (signature.length - 4);
    const by = signature[i] === 'b' ? 'c' : 'b';
    return signature.slice(0, i) + by + signature.slice(i + 1);
  },
  'signature-cut': (signature) => signature.slice(0, -4),
  'signature-longer': (signature) => `${signature}a`,
  'signature-with-blank': (signature, { at }) => (at % 2 === 0 ? `${signature} ` : ` ${signature}`),
};

/** The correct digest in another notation than that of §5.2. */
const RESPELLED: typeof DAMAGED = {
  'signature-in-hexadecimal': (signature) => Buffer.from(signature, 'base64').toString('hex'),
  'signature-in-lower-case': (signature) => signature.toLowerCase(),
  'signature-url-safe': (signature) => signature.replaceAll('+', '-').replaceAll('/', '_'),
  'signature-without-padding': (signature) => signature.replace(/(?<!=)=+$/, ''),
  'signature-with-other-bits': setUnusedBit,
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
  ...Object.keys(DAMAGED),
  'private-key',
  'public-key',
];

/** Undefined if the request has nothing to change. */
export function applyChange(
  sent: Input,
  keys: KeyPair,
  change: Change,
): WrongSignature | undefined {
  const own: WrongSignature = {
    signed: sent,
    keys,
    account: keys,
    rewrite: (signature) => signature,
  };
  const signed = SIGNED[change.kind];
  if (signed) {
    const request = signed(sent, change);
    return request && { ...own, signed: request };
  }
  const rewrite = DAMAGED[change.kind] ?? RESPELLED[change.kind];
  if (rewrite) return { ...own, rewrite: (signature) => rewrite(signature, change) };
  if (change.kind === 'private-key') {
    return { ...own, keys: { ...keys, privateKey: `${keys.privateKey}2` } };
  }
  return { ...own, account: { ...keys, publicKey: `${keys.publicKey}2` } };
}

type Replace<Item> = (item: Item) => readonly Item[];

function changeHeader(sent: Input, at: number, change: Replace<Pair>): Input | undefined {
  const { headers = [] } = sent;
  const index = at % headers.length;
  const header = headers[index];
  return header && { ...sent, headers: headers.toSpliced(index, 1, ...change(header)) };
}

/** The parameters Action and PublicKey stay. */
function changeParameter(
  sent: Input,
  at: number,
  change: Replace<ActionParameters[number]>,
): Input | undefined {
  const { parameters = [] } = sent;
  const index = at % parameters.length;
  const parameter = parameters[index];
  if (!parameter || ['Action', 'PublicKey'].includes(parameter[0])) return undefined;
  return { ...sent, parameters: parameters.toSpliced(index, 1, ...change(parameter)) };
}

function otherValue(value: ParameterValue, text: string): ParameterValue {
  if (typeof value === 'string') return value + text;
  if (typeof value === 'boolean') return !value;
  if (value !== null && 'number' in value) return { number: value.number === '1' ? '2' : '1' };
  return text;
}

/** Spoils a request; `at` selects a variant, the simplest first. */
type Spoiling = (request: Input, at: number, prefix: string) => Input | undefined;

const METHODS = ['', 'GET\n', 'G T', 'GET /b', 'G\u00c9T'];
const BUCKETS = ['', 'b/c', '/b', 'b/'];
/** With the prefix before them, these names are not tokens (RFC 9110 §5.6.2). */
const NAMES = ['a b', 'a:b', '\u00e9', '\u212a', 'a\nb', 'a: 1\r\nX-Other', 'a\0', 'a(b)'];
const VALUES = ['a\nb', 'a\n', 'a\rb', 'a\0b', 'a\r\nX-Other: b', 'a\r\n\r\n b', '\nb', 'a\r\n'];
const NUMBERS = [
  ...['NaN', 'Infinity', '-Infinity', '', '01', '1.', '.5', '+1', '0x10', '1_000', '1,5', '1e'],
  ...['--1', '1 ', '\u0661', 'null', 'true'],
];

const MISSING = 'missing-parameter';

const SPOILINGS: Readonly<Record<string, Spoiling>> = {
  'invalid-method': (request, at) => ({ ...request, method: itemAt(METHODS, at) }),
  'invalid-bucket': (request, at) => ({ ...request, bucket: itemAt(BUCKETS, at) }),
  'invalid-header-name': (request, at, prefix) =>
    withHeader(request, [at === 30 ? '' : `${prefix}${itemAt(NAMES, at)}`, 'a']),
  'invalid-header-value': (request, at, prefix) =>
    withHeader(request, [
      `${itemAt([prefix, prefix, 'X-Other-', 'User-'], Math.floor(at / VALUES.length))}a`,
      itemAt(VALUES, at),
    ]),
  'invalid-number': (request, at) => {
    const { parameters = [] } = request;
    return { ...request, parameters: [...parameters, ['N', { number: itemAt(NUMBERS, at) }]] };
  },
  [MISSING]: (request, at) => {
    const { parameters = [] } = request;
    const own = parameters.filter(([name]) => REQUIRED.includes(name));
    const [name = ''] = itemAt(own, at) ?? [];
    const left = parameters.filter(([other]) => other !== name);
    const renamed: ActionParameters = at < 15 ? [] : [[name.toLowerCase(), 'a']];
    return { ...request, parameters: [...left, ...renamed] };
  },
};

/** PublicKey is left out: signers may add it themselves. */
const REQUIRED = ['Action', 'Type', 'BucketName'];

const ACTION = ['invalid-number', MISSING];
const FORM = ['invalid-header-value', 'invalid-header-name', 'invalid-bucket'];
const FILE = [...FORM, 'invalid-method'];

/** The kinds that spoil requests of an operation; absent if signers refuse none of its requests. */
export const UNSIGNABLE_KINDS: Readonly<Record<string, readonly string[]>> = {
  'action-signature': ['invalid-number'],
  'action-json': ACTION,
  'action-query': ACTION,
  'bucket-request': ACTION,
  authorization: FILE,
  'form-authorization': FORM,
  'policy-authorization': FILE,
  'instant-upload': FORM,
  'presigned-url': FILE,
};

/** Whether only rules of level advised refuse the request. The specification lists what a request has, not what HTTP can carry. */
export function isUnsignableByAdvice({ kind }: Change): boolean {
  return kind in SPOILINGS && kind !== MISSING;
}

/** Undefined if the change is not one of these kinds. */
export function makeUnsignable(
  request: Input,
  { kind, at }: Change,
  prefix: string,
): Input | undefined {
  return SPOILINGS[kind]?.(request, at, prefix);
}

function withHeader(request: Input, header: Pair): Input {
  return { ...request, headers: [...(request.headers ?? []), header] };
}
