/**
 * Vectors that only apply to servers: for the server's key pair and bucket, in its dialect; at its limits and beyond them.
 *
 * @module
 */
import { MISTAKES, mistaken } from '../../../reference/mistakes/index.ts';
import { type Pair, SPECIFICATION, type Steps } from '../../../reference/signing/index.ts';
import { computeAnswer, isRefused } from '../../engine/answer.ts';
import type { Dialect, Question } from '../../engine/protocol.ts';
import type { Input, KeyPair, Level, Vector } from '../../engine/vector.ts';
import { signingOperation, toVerifyInput } from '../forgeries.ts';
import type { Place } from './relocation.ts';

/** The server that a probe asks. */
export interface Target extends Place {
  readonly keys: KeyPair;
  readonly dialect: Dialect;
}

export interface Claim {
  readonly id: string;
  readonly rules: readonly string[];
  readonly level: Level;
  readonly why: string;
}

const SOURCE = 'svc-conformance probe';

/**
 * Signs a request and yields the input of the operation that verifies it.
 *
 * @param swap steps that differ from the specification
 */
export function signInput(
  operation: string,
  request: Input,
  { keys, dialect, now }: Target,
  swap: Partial<Steps> = {},
): Input {
  const signing = signingOperation(operation);
  const answer = computeAnswer({ operation: signing, input: request, keys }, dialect, swap);
  if (isRefused(answer)) throw new Error(`${signing} cannot be signed: ${answer.message}`);
  const input = toVerifyInput(signing, request, answer) ?? {};
  return 'now' in input ? { ...input, now: `${now}` } : input;
}

/** A request that may be accepted or refused, but must be answered. */
function expectAnswer(operation: string, claim: Claim, input: Input, target: Target): Vector {
  return {
    ...createVector(operation, claim, input, target),
    accept: {
      accepted: {
        because: 'The answer is not a signature error.',
        expect: { publicKey: target.keys.publicKey },
      },
      refused: { because: 'The answer is a refusal.', refuse: { reason: 'limit' } },
    },
  };
}

/** A request that was changed after signing and must be refused; undefined if it is correct all the same. */
export function expectRefusal(
  operation: string,
  claim: Claim,
  signed: Input,
  changed: Input,
  target: Target,
): Vector | undefined {
  const { keys, dialect } = target;
  const answer = computeAnswer({ operation, input: changed, keys }, dialect);
  if (!isRefused(answer)) return undefined;
  return {
    ...createVector(operation, claim, changed, target),
    refuse: { reason: answer.reason },
    control: { input: signed, expect: { publicKey: keys.publicKey } },
  };
}

/** The vector without an expectation. */
function createVector(
  operation: string,
  { id, ...claim }: Claim,
  input: Input,
  { keys }: Target,
): Vector {
  return { ...claim, id: `${operation}/${id}`, operation, source: SOURCE, keys, input };
}

const OPERATION = 'verify-presigned-url';

/** Content-MD5 and Content-Type in their lines: a mistake by the specification, but the service accepts it. */
const SWAP: Partial<Steps> = mistaken(
  SPECIFICATION,
  MISTAKES.filter(({ id }) => id === 'presigned-headers-in-positions'),
).steps;

/** Whether the request is signed by the service's documentation, so that a server may accept it. */
export function isVendorText(question: Question, dialect: Dialect): boolean {
  return question.operation === OPERATION && !isRefused(computeAnswer(question, dialect, SWAP));
}

/** Asks which of the two texts a server accepts. */
export function createVendorTextVector(target: Target): Vector {
  const { bucket, fileHost, scheme, now } = target;
  const headers = [['Content-Type', 'text/plain']] as const;
  const expires = `${now + 3600}`;
  const place = { bucket, key: 'vendor-text.txt', expires, scheme, fileHost };
  const request: Input = { method: 'PUT', headers, ...place };
  const claim = {
    id: 'vendor-text/meets-a-content-type-in-the-signed-text',
    rules: ['5.4/empty-positions'],
    level: 'open' as const,
    why: 'By section 5.4 its line is empty; the newer documentation of the service, and SDKs, fill it in.',
  };
  return expectAnswer(OPERATION, claim, signInput(OPERATION, request, target, SWAP), target);
}

/** Replaces the character at a position by another one. */
export function changeCharacter(text: string, at: number): string {
  const other = text[at] === 'x' ? 'y' : 'x';
  return text.slice(0, at) + other + text.slice(at + 1);
}

/** In bytes of UTF-8, by the service's documentation. */
const LONGEST_KEY = 1023;

/** For all metadata of a file together, in bytes, by the same documentation. */
const LONGEST_METADATA = 8192;

const HEADER = 'verify-authorization';

/** A correct request that must be accepted, one that must be answered, or one with a wrong signature that must be refused. */
type Limit = readonly [
  verb: 'accepts' | 'answers' | 'refuses',
  name: string,
  request: Input,
  why: string,
];

const COMPARED = 'A long request is no reason to skip the comparison.';

function listKeyLimits(target: Target): readonly Limit[] {
  const longest = withKey('k'.repeat(LONGEST_KEY), target);
  const wide = withKey('鍵'.repeat(341), target);
  const tooLong = withKey('k'.repeat(LONGEST_KEY + 1), target);
  const whyTooLong = 'One byte more than the service documents must not break a server.';
  return [
    ['accepts', 'a-key-of-1023-bytes', longest, 'A key has 1 to 1023 bytes.'],
    [
      'accepts',
      'a-key-of-1023-bytes-in-characters-of-three',
      wide,
      'The limit counts bytes, not characters.',
    ],
    ['refuses', 'a-wrong-signature-of-a-key-of-1023-bytes', longest, COMPARED],
    ['answers', 'a-key-of-1024-bytes', tooLong, whyTooLong],
  ];
}

function listMetadataLimits(target: Target): readonly Limit[] {
  const longest = withMetadata([LONGEST_METADATA - 200], target);
  const tooLong = withMetadata([65_536], target);
  const many = withMetadata(new Array(200).fill(8), target);
  const whyMany =
    'Some servers drop headers beyond a maximum number, and then verify another text.';
  return [
    ['accepts', 'metadata-of-eight-kilobytes', longest, 'The service documents 8 KB of metadata.'],
    ['refuses', 'a-wrong-signature-of-eight-kilobytes-of-metadata', longest, COMPARED],
    [
      'answers',
      'metadata-of-sixty-four-kilobytes',
      tooLong,
      'Very long headers must not break a server.',
    ],
    ['answers', 'two-hundred-headers', many, whyMany],
  ];
}

export function createLimitVectors(target: Target): readonly Vector[] {
  const limits = [...listKeyLimits(target), ...listMetadataLimits(target)];
  return limits.flatMap((limit) => createLimitVector(limit, target) ?? []);
}

function createLimitVector([verb, name, request, why]: Limit, target: Target): Vector | undefined {
  const signed = signInput(HEADER, request, target);
  const id = `limits/${verb}-${name}`;
  const claim: Claim = { id, rules: ['5/match-accepted'], level: 'observed', why };
  const { publicKey } = target.keys;
  switch (verb) {
    case 'accepts':
      return { ...createVector(HEADER, claim, signed, target), expect: { publicKey } };
    case 'answers':
      return expectAnswer(HEADER, claim, signed, target);
    case 'refuses': {
      const refused = { ...claim, rules: ['5/mismatch-refused'] };
      return expectRefusal(HEADER, refused, signed, changeSignature(signed), target);
    }
  }
}

/** Changes a text within an input. */
export type Within = (input: Input, change: (text: string) => string) => Input;

export const withinHeader =
  (header: string): Within =>
  (input, change) => ({
    ...input,
    headers: input.headers?.map(([name, value]) => [name, name === header ? change(value) : value]),
  });

/** Changes the last character of the signature: all else would change what the limit is about. */
const changeSignature = (signed: Input): Input =>
  withinHeader('Authorization')(signed, (text) => changeCharacter(text, text.length - 2));

function withKey(key: string, { bucket }: Target): Input {
  return { method: 'GET', bucket, key, headers: [] };
}

/** A header of metadata for each size. */
function withMetadata(sizes: readonly number[], { bucket, dialect }: Target): Input {
  const headers = sizes.map(
    (size, i): Pair => [`${dialect.headerPrefix}Meta-N${i}`, 'm'.repeat(size)],
  );
  return { method: 'GET', bucket, key: 'limits/metadata.txt', headers };
}
