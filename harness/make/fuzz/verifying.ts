/**
 * Questions for verifiers: correctly signed requests, in equivalent notations, and the same requests with one change.
 *
 * @module
 */
import { escapeUnit } from '../../../reference/escapes.ts';
import {
  type ActionParameters,
  type Pair,
  type Steps,
  urlEncode,
} from '../../../reference/signing/index.ts';
import { computeAnswer, isRefused } from '../../engine/answer.ts';
import type { Dialect, Question } from '../../engine/protocol.ts';
import { pickMembers } from '../../engine/suite-data.ts';
import type { Control, Forged, Input, KeyPair, Stages } from '../../engine/vector.ts';
import { signingOperation } from '../forgeries.ts';
import { applyChange, makeUnsignable } from './changes.ts';
import { type Change, type Draft, itemAt } from './draft.ts';
import { MALFORMATIONS, type Malformation } from './malformed.ts';

export interface VerifyQuestion {
  readonly asked: Question;
  /** If the request is wrong: the corrected request, and the origin of the wrong signature. */
  readonly control?: Omit<Control, 'expect'>;
  readonly forged?: Forged;
}

/** How a verify operation receives a signed request. */
type Carrier = (request: Input, stages: Stages, signature: string, form: Form) => Input;

interface Form {
  readonly publicKey: string;
  readonly dialect: Dialect;
  /** Selects one of the equivalent notations. */
  readonly writing: number;
}

/** By verify operation. */
const CARRIERS: Readonly<Record<string, Carrier>> = {
  'verify-authorization': (request, _, signature, { publicKey, dialect, writing }) => {
    const name = ['Authorization', 'authorization', 'AUTHORIZATION'][writing % 3] ?? '';
    const header: Pair = [name, `${dialect.scheme} ${publicKey}:${signature}`];
    const { headers = [] } = request;
    return { ...request, headers: writing < 3 ? [...headers, header] : [header, ...headers] };
  },
  'verify-presigned-url': (
    { method, headers, fileHost, now },
    { url, signature: own },
    signature,
    { writing },
  ) => {
    const sent = String(url).replace(urlEncode(String(own)), urlEncode(signature));
    return { method, url: rewriteUrl(sent, writing), headers, fileHost, now };
  },
  'verify-query': (_, { query, signature: own }, signature, { writing }) => ({
    query: rewriteEscapes(String(query), writing).replace(
      `Signature=${own}`,
      `Signature=${signature}`,
    ),
  }),
  'verify-json': (_, { body, signature: own }, signature, { writing }) => ({
    body: rewriteJson(
      String(body).replace(`"Signature":"${own}"`, `"Signature":"${signature}"`),
      writing,
    ),
  }),
};

/** §5.4 and the service's documentation leave open the order of parameters and the escapes of some characters. */
function rewriteUrl(url: string, writing: number): string {
  switch (writing) {
    case 2:
      return url.replace(/^[^?]*|(?<=[?&]Signature=)[^&]*/g, (part) => part.replaceAll('%2B', '+'));
    case 3:
      return url.replace(/^([^?]*\?)([^&]*)&(.*)/, '$1$3&$2');
    case 4:
      return url.replace(/(?<=:\/\/[^/]*\/)[^?]*/, (path) => path.replaceAll('/', '%2F'));
    case 5:
      return url.replace(/(?<=:\/\/[^/]*\/)[^?]*/, (path) => path.replace(/^a/, '%61'));
    default:
      return rewriteEscapes(url, writing);
  }
}

/** Escapes in lower case mean the same (RFC 3986 §2.1). */
function rewriteEscapes(url: string, writing: number): string {
  return writing % 2 === 0 ? url : url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

/** JSON allows spaces between tokens, and escapes for any character. */
function rewriteJson(body: string, writing: number): string {
  if (writing % 3 === 1) return body.replace(/^\{/, '{ ').replace(/\}$/, '\n}');
  if (writing % 3 === 0) return body;
  return body.replaceAll(/[^\x20-\x7e]/g, escapeUnit);
}

/** So long after its expiry a URL is used: around the tolerances that verifiers may have. */
const SECONDS_LATE = [1, 60, 61, 301, 601, 901, 3601, 86_401, 1_000_000_000];

/** The parts from which the question of a draft is built. */
interface Parts {
  readonly draft: Draft;
  readonly dialect: Dialect;
  /** The answer of the correct signer. */
  readonly stages: Stages;
  /** The input with the correct request. */
  readonly right: Input;
  readonly sign: (input: Input, keys?: KeyPair, swap?: Partial<Steps>) => Stages | undefined;
  /** The verifier's input with a signed request, by default with its own signature. */
  readonly carry: (signed: Input, stages: Stages, signature?: string) => Input;
}

/** The question of a verify draft; undefined if its change has no effect. */
export function createVerifyQuestion(draft: Draft, dialect: Dialect): VerifyQuestion | undefined {
  const { operation, keys, request, change, writing = 0 } = draft;
  const carrier = CARRIERS[operation];
  if (!carrier) return undefined;
  const malformed = change && MALFORMATIONS[operation]?.[change.kind];
  const form: Form = { publicKey: keys.publicKey, dialect, writing: malformed ? 0 : writing };
  const signing = signingOperation(operation);
  const sign: Parts['sign'] = (input, by = keys, swap) => {
    const answer = computeAnswer({ operation: signing, input, keys: by }, dialect, swap);
    return isRefused(answer) ? undefined : answer;
  };
  const carry: Parts['carry'] = (input, answer, signature = String(answer['signature'])) =>
    carrier(input, answer, signature, form);
  const stages = sign(request);
  if (!stages) return undefined;
  const right = carry(request, stages);
  if (!change) return { asked: { operation, keys, input: right } };
  const parts: Parts = { draft, dialect, stages, right, sign, carry };
  if (malformed) return createMalformedQuestion(parts, change, malformed);
  if (change.kind === 'expired') {
    const late = itemAt(SECONDS_LATE, change.at);
    const now = `${Number(request.expires) + late}`;
    return createRefusedQuestion(parts, { ...right, now });
  }
  return createUnsignableQuestion(parts, change) ?? createChangedQuestion(parts, change);
}

function createRefusedQuestion(
  { draft: { operation, keys }, right }: Parts,
  input: Input,
  forged?: Forged,
): VerifyQuestion {
  return {
    asked: { operation, keys, input },
    control: { input: changedMembers(right, input) },
    ...(forged && { forged }),
  };
}

/** A correctly signed request that is sent in a malformed way. */
function createMalformedQuestion(
  parts: Parts,
  { at }: Change,
  malformed: Malformation,
): VerifyQuestion | undefined {
  const { draft, dialect, sign, carry } = parts;
  const { keys, request } = draft;
  const signed = malformed.signed?.(request, at) ?? request;
  const stages = sign(signed);
  if (!stages) return undefined;
  const signature = String(stages['signature']);
  const signatureOf = (parameters: ActionParameters): string => {
    const asked = { operation: 'action-signature', keys, input: { parameters } };
    const answer = computeAnswer(asked, dialect);
    return isRefused(answer) ? signature : String(answer['signature']);
  };
  const { publicKey } = keys;
  const known = { request: signed, publicKey, signature, dialect, at, signatureOf };
  const input = malformed.sent(carry(signed, stages), known);
  const forged = { input: changedMembers(carry(signed, stages, '{signature}'), parts.right) };
  return createRefusedQuestion(parts, input, signed === request ? undefined : forged);
}

/** A request that signers must refuse, with a signature all the same. */
function createUnsignableQuestion(parts: Parts, change: Change): VerifyQuestion | undefined {
  const { draft, dialect, sign, carry } = parts;
  const signed = makeUnsignable(draft.request, change, dialect.headerPrefix);
  const stages = signed && sign(signed, draft.keys, { checkRequest: () => {} });
  return stages && createRefusedQuestion(parts, carry(signed, stages));
}

/** A request with the signature of another request, or with a damaged one. */
function createChangedQuestion(parts: Parts, change: Change): VerifyQuestion | undefined {
  const { draft, stages, right, sign, carry } = parts;
  const { operation, keys, request } = draft;
  const made = applyChange(request, keys, change);
  const other = made && sign(made.signed, made.keys);
  if (!made || !other) return undefined;
  const signature = made.rewrite(String(other['signature']));
  if (signature === stages['signature'] && made.account === keys) return undefined;
  const input = carry(request, stages, signature);
  const members = changedMembers(right, input);
  const others = changedMembers(carry(made.signed, other, signature), input);
  const signed = pickMembers(carry(made.signed, other, '{signature}'), Object.keys(others));
  return {
    asked: { operation, keys: made.account, input },
    control: { input: members, ...(made.account !== keys && { keys }) },
    ...(made.signed !== request && { forged: { input: signed } }),
    ...(made.keys !== keys && { forged: { keys: made.keys } }),
  };
}

/** The members in which an input differs from another. */
export function changedMembers(of: Input, other: Input): Input {
  const others = new Map<string, unknown>(Object.entries(other));
  const isChanged = ([name, value]: readonly [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify(others.get(name));
  return Object.fromEntries(Object.entries(of).filter(isChanged));
}
