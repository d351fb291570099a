/**
 * The callback after an upload: whom the policy names is asked, and its answer is the answer.
 *
 * @module
 */
import { type Answer, jsonAnswer } from '../answer.ts';
import { isLoopback } from '../loopback.ts';
import type { FileCall } from '../service.ts';
import { headerOf, type WireRequest } from '../wire-request.ts';
import { type Callback, callbackOfPolicy } from './callback-policy.ts';
import { refusal } from './refusal.ts';

/** In milliseconds, from the connection to the last byte of the answer. */
const LONGEST_CALL = 10_000;

/** In bytes. */
const LARGEST_ANSWER = 64 * 1024;

/** The callback of a request that was signed in its header. */
export function callbackOf(wire: WireRequest): Callback | undefined {
  return callbackOfAuthorization(headerOf(wire, 'Authorization'));
}

/** Public key and signature, and as a third the policy, where there is one. */
export function callbackOfAuthorization(authorization: string | undefined): Callback | undefined {
  const policy = authorization?.split(':').slice(2).join(':');
  return policy ? callbackOfPolicy(policy) : undefined;
}

/** The answer to an upload that is done. A callback that is not made is told in a header. */
export async function calledBack(
  { service }: FileCall,
  callback: Callback | undefined,
  uploaded: Answer,
): Promise<Answer> {
  if (callback === undefined) return uploaded;
  if (!service.makesCallbacks) return notMade(uploaded, 'callbacks are switched off');
  // Other spellings are brought to these by `URL`.
  if (!isLoopback(callback.url.hostname)) {
    return notMade(uploaded, 'callbackUrl is no loopback address, and nothing leaves this machine');
  }
  const { status, members } = await called(callback).catch((error: unknown) => {
    throw refusal('callbackFailed', `${callback.url.origin} ${reason(error)}`);
  });
  return jsonAnswer(status, members, uploaded.headers.filter(isNoType));
}

function notMade(uploaded: Answer, why: string): Answer {
  return { ...uploaded, headers: [...uploaded.headers, ['X-Svc-Conformance-Callback', why]] };
}

async function called(
  callback: Callback,
): Promise<{ readonly status: number; readonly members: object }> {
  const response = await fetch(callback.url, {
    method: 'POST',
    headers: { 'Content-Type': callback.type },
    body: callback.body,
    redirect: 'manual',
    signal: AbortSignal.timeout(LONGEST_CALL),
  });
  const text = await boundedText(response.body);
  const members: unknown = JSON.parse(text);
  if (typeof members !== 'object' || members === null) {
    throw new Error('answered JSON that is no object');
  }
  return { status: response.status, members };
}

async function boundedText(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > LARGEST_ANSWER) throw new Error(`answered more than ${LARGEST_ANSWER} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function reason(error: unknown): string {
  if (error instanceof SyntaxError) return 'answered what is no JSON';
  if (!(error instanceof Error)) return 'failed';
  if (error.name === 'TimeoutError') return `did not answer within ${LONGEST_CALL / 1000} s`;
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? `failed: ${cause.code}` : error.message;
}

function isNoType([name]: readonly [string, string]): boolean {
  return name.toLowerCase() !== 'content-type';
}
