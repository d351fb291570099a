/**
 * The policy behind the signature of an upload: whom to call, and with what (observed).
 *
 * @module
 */
import { urlEncode } from '../../signing/index.ts';
import { badRequest } from './refusal.ts';

/** The request of a callback; how the service itself makes it is not published. */
export interface Callback {
  readonly url: URL;
  readonly body: string;
  readonly type: string;
}

/** In characters of Base64, as the SDK for Java bounds it. */
const LONGEST_POLICY = 4096;

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

/** What a policy asks for; nothing where it names no URL. Both alphabets of Base64 are in use. */
export function callbackOfPolicy(policy: string): Callback | undefined {
  if (policy.length > LONGEST_POLICY) {
    throw badRequest(`the policy has ${policy.length} characters; at most ${LONGEST_POLICY}`);
  }
  const members = membersOf(policy);
  const url = text(members, 'callbackUrl');
  if (url === '') return undefined;
  const type = text(members, 'callbackBodyType') || FORM;
  if (type !== FORM && type !== JSON_TYPE) {
    throw badRequest(`callbackBodyType is ${JSON.stringify(type)}; it is ${FORM} or ${JSON_TYPE}`);
  }
  const body = substituted(text(members, 'callbackBody'), members['callbackVar'], type);
  return { url: httpUrl(url), body, type };
}

function membersOf(policy: string): Readonly<Record<string, unknown>> {
  try {
    // Node reads both alphabets.
    const members: unknown = JSON.parse(Buffer.from(policy, 'base64').toString('utf8'));
    if (typeof members === 'object' && members !== null) return { ...members };
  } catch {}
  throw badRequest('the policy behind the signature is no Base64 of a JSON object');
}

function text(members: Readonly<Record<string, unknown>>, name: string): string {
  const value = members[name] ?? '';
  if (typeof value === 'string') return value;
  throw badRequest(`${name} of the policy is no text`);
}

function httpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && ['http:', 'https:'].includes(url.protocol)) return url;
  throw badRequest(`callbackUrl is ${JSON.stringify(text)}; it has to be a URL of http or https`);
}

/** `$(x:name)` stands for the variable of this name; its value is written as the type of the body wants it. */
function substituted(body: string, variables: unknown, type: string): string {
  const known = new Map(Object.entries(variables ?? {}));
  return body.replace(/\$\((x:[^()]*)\)/g, (whole, name: string) => {
    if (!known.has(name)) return whole;
    const value = variable(name, known.get(name));
    return type === FORM ? urlEncode(value) : JSON.stringify(value).slice(1, -1);
  });
}

function variable(name: string, value: unknown): string {
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
  throw badRequest(`${JSON.stringify(name)} in callbackVar of the policy is no text`);
}
