/**
 * The signature of an action, over its parameters before any encoding (§5.1).
 *
 * @module
 */
import {
  type ActionParameters,
  type Context,
  type Verification,
  verifyJson,
  verifyQuery,
} from '../../signing/index.ts';
import type { Judgement } from '../judgement.ts';
import type { Service } from '../service.ts';
import type { WireRequest } from '../wire-request.ts';
import { suspectOf } from './file.ts';
import { judged } from './judging.ts';

/** The parameters of an action where they stand, as they are sent. */
export interface SentParameters {
  readonly signedIn: 'query' | 'json';
  /** The query, a form with its plus signs escaped, or the JSON text. */
  readonly text: string;
  /** The body as it is sent; empty where the parameters are in the query. */
  readonly body: string;
  /** Nothing where they cannot be read. */
  readonly parameters: ActionParameters | undefined;
}

/**
 * Where the parameters stand: in the query if it names the action, else in the body.
 *
 * The media type is not asked: the SDK for Java sends that of JSON with a GET.
 */
export function sentParameters(
  { query }: WireRequest,
  body: string,
  context: Context,
): SentParameters {
  const hasAction =
    context.steps.decodedQuery(query, context)?.some(([name]) => name === 'Action') ?? false;
  if (hasAction || body.trim() === '') {
    return {
      signedIn: 'query',
      text: query,
      body: '',
      parameters: context.steps.decodedQuery(query, context),
    };
  }
  if (body.trimStart().startsWith('{')) {
    const value = context.steps.jsonText(body);
    const isObject = typeof value === 'object' && value !== null && 'object' in value;
    return { signedIn: 'json', text: body, body, parameters: isObject ? value.object : undefined };
  }
  // Forms write a space as "+", and a plus as "%2B".
  const text = body.trim().replaceAll('+', '%20');
  return { signedIn: 'query', text, body, parameters: context.steps.decodedQuery(text, context) };
}

/** Judges the parameters as they were sent. */
export function judgedAction(
  service: Service,
  wire: WireRequest,
  { signedIn, text, body, parameters = [] }: SentParameters,
): Judgement {
  const publicKey = parameters.find(([name]) => name === 'PublicKey')?.[1];
  const verify = signedIn === 'json' ? verifyJson : verifyQuery;
  return judged(service, {
    signedIn,
    publicKey: typeof publicKey === 'string' ? publicKey : undefined,
    variants: [],
    verify: (accounts, context): Verification<unknown> => verify(text, accounts, context),
    suspect: suspectOf(wire, undefined, body),
  });
}
