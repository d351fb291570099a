/**
 * Callbacks after an upload: the policy after the signature names a URL, whose response becomes the response to the upload (observed).
 *
 * @module
 */

import { urlEncode } from '../../signing/index.ts';
import { hasMembers, type Members, parseJson, parseJsonIfValid, systemCode } from '../../values.ts';
import type { FileCall } from '../authentication/service.ts';
import { badRequest, fileError } from '../messages/errors.ts';
import { type Answer, jsonAnswer } from '../messages/exchange.ts';
import { isLoopback } from '../messages/hosts.ts';

/** The request of a callback. Its exact form in the real service is not published. */
export interface Callback {
  readonly url: URL;
  readonly body: string;
  readonly type: string;
}

/** The longest policy in characters of Base64, as in the SDK for Java. */
const LONGEST_POLICY = 4096;

/** The time limit of a callback in milliseconds, from the connection to the last byte of the answer. */
const LONGEST_CALL = 10_000;

/** The longest answer of a callback, in bytes. */
const LARGEST_ANSWER = 64 * 1024;

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

/** Reads the callback policy, the third part of an Authorization; undefined without a policy, or if it names no URL. */
export function parseCallback(authorization = ''): Callback | undefined {
  const policy = authorization.split(':').slice(2).join(':');
  if (policy === '') return undefined;
  if (policy.length > LONGEST_POLICY) {
    throw badRequest(
      `the policy has ${policy.length} characters; at most ${LONGEST_POLICY} are allowed`,
    );
  }
  const members = parsePolicy(policy);
  const url = textMember(members, 'callbackUrl');
  if (url === '') return undefined;
  const type = textMember(members, 'callbackBodyType') || FORM;
  if (type !== FORM && type !== JSON_TYPE) {
    throw badRequest(
      `callbackBodyType is ${JSON.stringify(type)}; it must be ${FORM} or ${JSON_TYPE}`,
    );
  }
  const body = fillIn(textMember(members, 'callbackBody'), members['callbackVar'], type);
  return { url: parseHttpUrl(url), body, type };
}

function parsePolicy(policy: string): Members {
  // Clients use both alphabets of Base64, and Node reads both.
  const members = parseJsonIfValid(Buffer.from(policy, 'base64').toString('utf8'));
  if (hasMembers(members)) return { ...members };
  throw badRequest('the policy after the signature is not Base64 of a JSON object');
}

function textMember(members: Members, name: string): string {
  const value = members[name] ?? '';
  if (typeof value === 'string') return value;
  throw badRequest(`${name} of the policy is not a text`);
}

function parseHttpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && ['http:', 'https:'].includes(url.protocol)) return url;
  throw badRequest(`callbackUrl is ${JSON.stringify(text)}; it must be an http or https URL`);
}

/** Replaces each `$(x:name)` with the value of this variable, escaped for the type of the body. */
function fillIn(body: string, variables: unknown, type: string): string {
  const known = new Map<string, unknown>(Object.entries(variables ?? {}));
  return body.replace(/\$\((x:[^()]*)\)/g, (whole, name: string) => {
    if (!known.has(name)) return whole;
    const value = known.get(name);
    if (!['string', 'number', 'boolean'].includes(typeof value)) {
      throw badRequest(
        `${JSON.stringify(name)} in callbackVar of the policy is not a text, number or boolean`,
      );
    }
    const text = String(value);
    return type === FORM ? urlEncode(text) : JSON.stringify(text).slice(1, -1);
  });
}

/** Sends the callback of the policy and returns its answer. A header says why a callback is not sent. */
export async function answerWithCallback(
  { service }: FileCall,
  callback: Callback | undefined,
  uploaded: Answer,
): Promise<Answer> {
  if (callback === undefined) return uploaded;
  const why = whyNotSent(callback, service.makesCallbacks);
  if (why !== undefined) {
    return { ...uploaded, headers: [...uploaded.headers, ['X-Svc-Conformance-Callback', why]] };
  }
  const { status, members } = await callBack(callback).catch((error: unknown) => {
    throw fileError('callbackFailed', `${callback.url.origin} ${reasonFor(error)}`);
  });
  const headers = uploaded.headers.filter(([name]) => name.toLowerCase() !== 'content-type');
  return jsonAnswer(status, members, headers);
}

function whyNotSent({ url }: Callback, makesCallbacks: boolean): string | undefined {
  if (!makesCallbacks) return 'callbacks are switched off';
  // `URL` has already normalized other spellings of addresses.
  if (isLoopback(url.hostname)) return undefined;
  return 'callbackUrl is not a loopback address, and nothing leaves this machine';
}

async function callBack({
  url,
  type,
  body,
}: Callback): Promise<{ readonly status: number; readonly members: object }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': type },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(LONGEST_CALL),
  });
  const members = parseJson(await readBounded(response.body));
  if (hasMembers(members)) return { status: response.status, members };
  throw new Error('answered JSON that is not an object');
}

async function readBounded(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > LARGEST_ANSWER) throw new Error(`answered more than ${LARGEST_ANSWER} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function reasonFor(error: unknown): string {
  if (error instanceof SyntaxError) return 'did not answer with JSON';
  if (!(error instanceof Error)) return 'failed';
  if (error.name === 'TimeoutError') return `did not answer within ${LONGEST_CALL / 1000} s`;
  const code = systemCode(error.cause);
  return code === undefined ? error.message : `failed: ${code}`;
}
