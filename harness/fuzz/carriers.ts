/**
 * A signed request as its verifier gets it, in each of the ways to write the same.
 *
 * @module
 */
import { urlEncode } from '../../reference/signing/index.ts';
import type { Dialect } from '../adapter/messages.ts';
import type { Input, Stages } from '../suite/vector.ts';

/** How a request is signed, and how a signature is put into it. */
export interface Carrier {
  /** The operation that signs it. */
  readonly signing: string;
  readonly input: (request: Input, stages: Stages, signature: string, form: Form) => Input;
}

export interface Form {
  readonly publicKey: string;
  readonly dialect: Dialect;
  /** Which of the ways to write the same. */
  readonly writing: number;
}

/** The carriers by the operations that verify. */
export const CARRIERS: Readonly<Record<string, Carrier>> = {
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
      return { method, url: rewrittenUrl(sent, writing), headers, fileHost, now };
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

/** What §5.4 leaves free, or the services' documentation: the order of parameters, and what need not be escaped. */
function rewrittenUrl(url: string, writing: number): string {
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
      return rewrittenEscapes(url, writing);
  }
}

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
