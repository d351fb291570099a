/**
 * The signature of an action, over its parameters before any encoding (§5.1).
 *
 * @module
 */

import {
  type ActionParameters,
  type Context,
  verifyJson,
  verifyQuery,
} from '../../signing/index.ts';
import type { WireRequest } from '../messages/exchange.ts';
import type { Judgement } from '../messages/judgement.ts';
import { judgeSignature, toSuspect } from './judge.ts';
import type { Service } from './service.ts';

export interface SentParameters {
  readonly signedIn: 'query' | 'json';
  /** The query, or a form body with its plus signs escaped, or the JSON text. */
  readonly text: string;
  /** The body as sent; empty if the parameters are in the query. */
  readonly body: string;
  readonly parameters: ActionParameters | undefined;
}

/**
 * Reads the parameters from the query if it names the action, else from the body.
 *
 * Ignores the media type, because the SDK for Java sends the JSON type with a GET.
 */
export function readParameters(
  { query }: WireRequest,
  body: string,
  context: Context,
): SentParameters {
  const { steps } = context;
  const inQuery = steps.decodedQuery(query, context);
  if (inQuery?.some(([name]) => name === 'Action') || body.trim() === '') {
    return { signedIn: 'query', text: query, body: '', parameters: inQuery };
  }
  if (body.trimStart().startsWith('{')) {
    const value = steps.jsonText(body);
    const isObject = typeof value === 'object' && value !== null && 'object' in value;
    return { signedIn: 'json', text: body, body, parameters: isObject ? value.object : undefined };
  }
  // Forms write a space as "+", and a plus as "%2B".
  const text = body.trim().replaceAll('+', '%20');
  return { signedIn: 'query', text, body, parameters: steps.decodedQuery(text, context) };
}

export function judgeAction(
  service: Service,
  wire: WireRequest,
  { signedIn, text, body, parameters = [] }: SentParameters,
): Judgement {
  const publicKey = parameters.find(([name]) => name === 'PublicKey')?.[1];
  const verify = signedIn === 'json' ? verifyJson : verifyQuery;
  return judgeSignature(service, {
    signedIn,
    publicKey: typeof publicKey === 'string' ? publicKey : undefined,
    verify: (accounts, context) => verify(text, accounts, context),
    suspect: toSuspect(wire, undefined, body),
  });
}
