/**
 * Requests without a signature by the specification, which a signer must refuse (§4.1, §4.2, §4.3, §5.1, §5.2).
 *
 * Requests about which the rules are open are left out: null, repeated names, repeated positional headers. Lone
 * surrogates are left out too: many JSON parsers replace them, so an adapter may never see them.
 *
 * @module
 */
import type { ActionParameters, Pair } from '../../../reference/signing/index.ts';
import type { Input } from '../../engine/vector.ts';
import { type Change, itemAt } from './draft.ts';

/** Distinguishes these kinds from changes of the signed request. */
const PREFIX = 'unsignable ';

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

const SPOILINGS: Readonly<Record<string, Spoiling>> = {
  method: (request, at) => ({ ...request, method: itemAt(METHODS, at) }),
  bucket: (request, at) => ({ ...request, bucket: itemAt(BUCKETS, at) }),
  'header-name': (request, at, prefix) =>
    withHeader(request, [at === 30 ? '' : `${prefix}${itemAt(NAMES, at)}`, 'a']),
  'header-value': (request, at, prefix) =>
    withHeader(request, [
      `${itemAt([prefix, prefix, 'X-Other-', 'User-'], Math.floor(at / VALUES.length))}a`,
      itemAt(VALUES, at),
    ]),
  number: (request, at) => {
    const parameters = request.parameters ?? [];
    return { ...request, parameters: [...parameters, ['N', { number: itemAt(NUMBERS, at) }]] };
  },
  required: (request, at) => {
    const parameters = request.parameters ?? [];
    const own = parameters.filter(([name]) => REQUIRED.includes(name));
    const [name = ''] = itemAt(own, at) ?? [];
    const left = parameters.filter(([other]) => other !== name);
    const renamed: ActionParameters = at < 15 ? [] : [[name.toLowerCase(), 'a']];
    return { ...request, parameters: [...left, ...renamed] };
  },
};

/** PublicKey is left out: signers may add it themselves. */
const REQUIRED = ['Action', 'Type', 'BucketName'];

const FILE = ['header-value', 'header-name', 'bucket'];
const KINDS: Readonly<Record<string, readonly string[]>> = {
  'action-signature': ['number'],
  'action-json': ['number', 'required'],
  'action-query': ['number', 'required'],
  'bucket-request': ['number', 'required'],
  authorization: [...FILE, 'method'],
  'form-authorization': FILE,
  'policy-authorization': [...FILE, 'method'],
  'instant-upload': FILE,
  'presigned-url': [...FILE, 'method'],
};

/** The kinds that spoil requests of an operation; empty if signers refuse none of its requests. */
export function unsignableKinds(operation: string): readonly string[] {
  return (KINDS[operation] ?? []).map((kind) => PREFIX + kind);
}

/** Whether only rules of level advised refuse the request. The specification lists what a request has, not what HTTP can carry. */
export function isUnsignableByAdvice({ kind }: Change): boolean {
  return kind.startsWith(PREFIX) && kind !== `${PREFIX}required`;
}

/** Undefined if the change is not one of these kinds. */
export function makeUnsignable(
  request: Input,
  { kind, at }: Change,
  prefix: string,
): Input | undefined {
  return kind.startsWith(PREFIX)
    ? SPOILINGS[kind.slice(PREFIX.length)]?.(request, at, prefix)
    : undefined;
}

function withHeader(request: Input, header: Pair): Input {
  return { ...request, headers: [...(request.headers ?? []), header] };
}
