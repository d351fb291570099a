/**
 * Requests for verifiers: right ones made by the reference, and the same with one thing changed.
 *
 * @module
 */
import fc from 'fast-check';
import { urlEncode } from '../../reference/signing/index.ts';
import type { Dialect } from '../adapter/messages.ts';
import { type Asked, answerTo, isRefused } from '../rederive/answer.ts';
import type { Control, Forged, Input, Stages } from '../suite/vector.ts';
import { actionRequest } from './action-requests.ts';
import { ANY_CHANGES, FILE_CHANGES, PARAMETER_CHANGES, wrong } from './changes.ts';
import type { Change, Circumstances, Draft } from './draft.ts';
import { fileRequest, presignedRequest } from './file-requests.ts';
import { keyPair } from './keys.ts';
import { character, oneOf } from './texts.ts';

/** A request as the verifier gets it: how it is signed, and how a signature is put into it. */
interface Carrier {
  /** The operation that signs it. */
  readonly signing: string;
  readonly input: (request: Input, stages: Stages, signature: string, form: Form) => Input;
}

interface Form {
  readonly publicKey: string;
  readonly dialect: Dialect;
  /** Which of the ways to write the same. */
  readonly writing: number;
}

const CARRIERS: Readonly<Record<string, Carrier>> = {
  'verify-authorization': {
    signing: 'authorization',
    input: (request, _, signature, { publicKey, dialect, writing }) => {
      const name = ['Authorization', 'authorization', 'AUTHORIZATION'][writing % 3] ?? '';
      const header = [name, `${dialect.scheme} ${publicKey}:${signature}`];
      const headers = request['headers'] as readonly unknown[];
      return { ...request, headers: writing < 3 ? [...headers, header] : [header, ...headers] };
    },
  },
  'verify-presigned-url': {
    signing: 'presigned-url',
    input: (
      { method, headers, fileHost, now },
      { url, signature: own },
      signature,
      { writing },
    ) => {
      const sent = String(url).replace(urlEncode(String(own)), urlEncode(signature));
      return { method, url: rewrittenEscapes(sent, writing), headers, fileHost, now };
    },
  },
  'verify-query': {
    signing: 'action-query',
    input: (_, { query, signature: own }, signature, { writing }) => ({
      query: rewrittenEscapes(String(query), writing).replace(
        `Signature=${own}`,
        `Signature=${signature}`,
      ),
    }),
  },
  'verify-json': {
    signing: 'action-json',
    input: (_, { body, signature: own }, signature, { writing }) => ({
      body: rewrittenJson(
        String(body).replace(`"Signature":"${own}"`, `"Signature":"${signature}"`),
        writing,
      ),
    }),
  },
};

/** Escapes in lower case mean the same (RFC 3986 §2.1). */
function rewrittenEscapes(url: string, writing: number): string {
  return writing % 2 === 0 ? url : url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

/** Blanks and escapes mean the same in JSON. */
function rewrittenJson(body: string, writing: number): string {
  if (writing % 3 === 1) return body.replace(/^\{/, '{ ').replace(/\}$/, '\n}');
  if (writing % 3 === 0) return body;
  return body.replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export interface VerifyQuestion {
  readonly asked: Asked;
  /** Where the request is wrong: the same made right, and how the wrong signature came about. */
  readonly control?: Omit<Control, 'expect'>;
  readonly forged?: Forged;
}

/** The question that a draft of a verify operation comes to; nothing where its change changes nothing. */
export function verifyQuestion(draft: Draft, dialect: Dialect): VerifyQuestion | undefined {
  const { operation, keys, request, change, writing = 0 } = draft;
  const carrier = CARRIERS[operation];
  if (!carrier) return undefined;
  const form: Form = { publicKey: keys.publicKey, dialect, writing };
  const signedBy = (input: Input, by = keys): Stages | undefined => {
    const answer = answerTo({ operation: carrier.signing, input, keys: by }, dialect);
    return isRefused(answer) ? undefined : answer;
  };
  const stages = signedBy(request);
  if (!stages) return undefined;
  const right = carrier.input(request, stages, String(stages['signature']), form);
  if (!change) return { asked: { operation, keys, input: right } };
  if (change.kind === 'expired') {
    const now = `${Number(request['expires']) + 1 + change.at}`;
    return {
      asked: { operation, keys, input: { ...right, now } },
      control: { input: { now: right['now'] } },
    };
  }
  const made = wrong(request, keys, change);
  const other = made && signedBy(made.signed, made.keys);
  if (!made || !other) return undefined;
  const signature = made.rewritten(String(other['signature']));
  if (signature === stages['signature'] && made.account === keys) return undefined;
  const input = carrier.input(request, stages, signature, form);
  const members = changedMembers(right, input);
  const before = carrier.input(made.signed, other, '{signature}', form);
  const others = changedMembers(carrier.input(made.signed, other, signature, form), input);
  const signed = Object.fromEntries(Object.keys(others).map((name) => [name, before[name]]));
  return {
    asked: { operation, keys: made.account, input },
    control: { input: members, ...(made.account !== keys && { keys }) },
    ...(made.signed !== request && { forged: { input: signed } }),
    ...(made.keys !== keys && { forged: { keys: made.keys } }),
  };
}

/** The members of one input that the other has otherwise. */
function changedMembers(of: Input, other: Input): Input {
  return Object.fromEntries(
    Object.entries(of).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(other[name]),
    ),
  );
}

function changeOf(kinds: readonly string[]): fc.Arbitrary<Change | undefined> {
  return fc.option(fc.record({ kind: oneOf(...kinds), at: fc.nat(30), text: character }), {
    nil: undefined,
    freq: 2,
  });
}

const writing = fc.nat(5);

/** The arbitraries of the verify operations, by name. */
export function verifyDrafts({
  dialect,
}: Circumstances): Readonly<Record<string, fc.Arbitrary<Draft>>> {
  const of = (
    operation: string,
    signed: fc.Arbitrary<Pick<Draft, 'keys' | 'request'>>,
    kinds: readonly string[],
  ): fc.Arbitrary<Draft> =>
    fc
      .record({ signed, change: changeOf([...kinds, ...ANY_CHANGES]), writing })
      .map(({ signed: draft, ...own }) => ({ operation, ...draft, ...own }));
  const prefix = dialect.headerPrefix;
  // A clock that shows the very second is not past it.
  const left = fc.constantFrom(0, 1, 900_000_000);
  const presigned = fc.tuple(presignedRequest(prefix), left).map(([request, seconds]) => ({
    ...request,
    now: `${Math.max(0, Number(request['expires']) - seconds)}`,
  }));
  return {
    'verify-authorization': of(
      'verify-authorization',
      fc.record({ keys: keyPair, request: fileRequest(prefix) }),
      FILE_CHANGES,
    ),
    'verify-presigned-url': of(
      'verify-presigned-url',
      fc.record({ keys: keyPair, request: presigned }),
      [...FILE_CHANGES, 'expires', 'expired'],
    ),
    'verify-query': of('verify-query', actionRequest, PARAMETER_CHANGES),
    'verify-json': of('verify-json', actionRequest, PARAMETER_CHANGES),
  };
}
