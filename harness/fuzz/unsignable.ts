/**
 * Requests to which the specification gives no signature, so that a signer must refuse them (§4.1, §4.2, §4.3, §5.1, §5.2).
 *
 * Nothing here is what the rules call open: no null, no name twice, no positional header twice. And no half of a
 * surrogate pair: many JSON parsers put another character in its place, so an adapter may never see it.
 *
 * @module
 */
import type { ActionParameters, HeaderList, Pair } from '../../reference/signing/index.ts';
import type { Input } from '../suite/vector.ts';
import type { Change } from './draft.ts';

/** Sets the kinds apart from those that change what was signed. */
const PREFIX = 'unsignable ';

/** What is spoiled in a request; the simplest way first, which one is the change's to say. */
type Spoiling = (request: Input, at: number, prefix: string) => Input | undefined;

const METHODS = ['', 'GET\n', 'G T', 'GET /b', 'G\u00c9T'];
const BUCKETS = ['', 'b/c', '/b', 'b/'];
/** What makes a name no token (RFC 9110 §5.6.2), put behind the prefix. */
const NAMES = ['a b', 'a:b', '\u00e9', '\u212a', 'a\nb', 'a: 1\r\nX-Other', 'a\0', 'a(b)'];
const VALUES = ['a\nb', 'a\n', 'a\rb', 'a\0b', 'a\r\nX-Other: b', 'a\r\n\r\n b', '\nb', 'a\r\n'];
const NUMBERS = [
  ...['NaN', 'Infinity', '-Infinity', '', '01', '1.', '.5', '+1', '0x10', '1_000', '1,5', '1e'],
  ...['--1', '1 ', '\u0661', 'null', 'true'],
];

function nth<T>(list: readonly T[], at: number): T {
  return list[at % list.length] as T;
}

const SPOILINGS: Readonly<Record<string, Spoiling>> = {
  method: (request, at) => ({ ...request, method: nth(METHODS, at) }),
  bucket: (request, at) => ({ ...request, bucket: nth(BUCKETS, at) }),
  'header-name': (request, at, prefix) =>
    withHeader(request, [at === 30 ? '' : `${prefix}${nth(NAMES, at)}`, 'a']),
  'header-value': (request, at, prefix) =>
    withHeader(request, [
      `${nth([prefix, prefix, 'X-Other-', 'User-'], Math.floor(at / VALUES.length))}a`,
      nth(VALUES, at),
    ]),
  number: (request, at) => {
    const parameters = request['parameters'] as ActionParameters;
    return { ...request, parameters: [...parameters, ['N', { number: nth(NUMBERS, at) }]] };
  },
  required: (request, at) => {
    const parameters = request['parameters'] as ActionParameters;
    const own = parameters.filter(([name]) => REQUIRED.includes(name));
    const [name = ''] = nth(own, at) ?? [];
    const left = parameters.filter(([other]) => other !== name);
    const renamed: ActionParameters = at < 15 ? [] : [[name.toLowerCase(), 'a']];
    return { ...request, parameters: [...left, ...renamed] };
  },
};

/** Without PublicKey, which signers may add themselves. */
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

/** The kinds of change that make a request of this operation one without a signature; none for those that refuse nothing. */
export function unsignableKinds(operation: string): readonly string[] {
  return (KINDS[operation] ?? []).map((kind) => PREFIX + kind);
}

/** Whether only rules of level advised refuse it: the specification names what a request has, not what HTTP can carry. */
export function isUnsignableByAdvice({ kind }: Change): boolean {
  return kind.startsWith(PREFIX) && kind !== `${PREFIX}required`;
}

/** The request made one that has no signature. */
export function unsignable(
  request: Input,
  { kind, at }: Change,
  prefix: string,
): Input | undefined {
  return kind.startsWith(PREFIX)
    ? SPOILINGS[kind.slice(PREFIX.length)]?.(request, at, prefix)
    : undefined;
}

function withHeader(request: Input, header: Pair): Input {
  return { ...request, headers: [...(request['headers'] as HeaderList), header] };
}
