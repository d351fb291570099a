/**
 * Keeps private keys and signatures out of answers, pages and logs.
 *
 * @module
 */

import { type Account, hidePrivateKeys, mapForeignTexts, textHider } from '../../secret-keys.ts';
import { urlDecode } from '../../signing/index.ts';
import { parseJson } from '../../values.ts';
import type { Answer, Exchange } from './exchange.ts';
import type { SuspectRequest } from './judgement.ts';

/** Response headers that repeat parts of the request; all others have stored values. */
const REPEATING = /^(?:Access-Control-Allow-Headers|X-Svc-Conformance-.*)$/i;

/**
 * Hides private keys in the parts of an answer that repeat the request.
 *
 * Stored data stays as it is: a client that writes its key into a file gets the file back.
 */
export function concealKeys(accounts: readonly Account[], answer: Answer): Answer {
  if (accounts.every(({ isDevelopment }) => isDevelopment)) return answer;
  const isError = answer.status >= 400 || answer.code !== 0;
  const headers = answer.headers.map(
    ([name, value]) =>
      [name, isError || REPEATING.test(name) ? hidePrivateKeys(accounts, value) : value] as const,
  );
  const { body } = answer;
  if (!isError || !(body instanceof Uint8Array)) return { ...answer, headers };
  const members = parseJson(Buffer.from(body).toString('utf8'));
  const text = JSON.stringify(hidePrivateKeys(accounts, members));
  return { ...answer, headers, body: Buffer.from(text, 'utf8') };
}

const INSTEAD = '<signature>';

/** Shorter texts are not signatures, and occur in other texts by chance. */
const SHORTEST = 6;

/** Parameters and headers with credentials. */
const SECRET = /signature|token|secret|password|cookie/i;

/** Hides all credentials with which a reader could send the request again. */
export function hideSignatures(exchange: Exchange): Exchange {
  const { judgement } = exchange;
  if (judgement === undefined || judgement.kind === 'unsigned') return hideIn(exchange, undefined);
  const { request, ...rest } = judgement;
  const shown = { ...exchange, judgement: rest };
  // Readers need a wrong signature by the published development key for comparison.
  const isHarmless =
    rest.kind === 'wrong' &&
    rest.reason === 'signature-mismatch' &&
    rest.diagnosis?.expected !== undefined;
  return isHarmless ? shown : hideIn(shown, request);
}

/** Hides the secrets in all texts, because a message or the string to sign may repeat them. */
function hideIn(exchange: Exchange, request: SuspectRequest | undefined): Exchange {
  const { headers, target, judgement } = exchange;
  const diagnosis = judgement?.kind === 'wrong' ? judgement.diagnosis : undefined;
  const found = [
    ...headers.flatMap(([name, value]) => secretsInHeader(name, value)),
    ...secretsInParameters(target.slice(target.indexOf('?') + 1)),
    ...(request ? secretsInBody(request.body) : []),
    ...(diagnosis ? secretsInReceived(diagnosis.received, judgement) : []),
  ];
  const texts = found.map((text) => text.trim()).filter(({ length }) => length >= SHORTEST);
  return texts.length === 0 ? exchange : mapForeignTexts(exchange, textHider(texts, INSTEAD));
}

/** The scheme and the public key of a malformed header stay visible, because its sender has to compare them. */
function secretsInReceived(received: string, judgement: Exchange['judgement']): readonly string[] {
  const isHeader = judgement?.kind === 'wrong' && judgement.reason === 'authorization-malformed';
  return isHeader ? secretsInAuthorization(received) : [received];
}

function secretsInHeader(name: string, value: string): readonly string[] {
  if (/authorization/i.test(name)) return secretsInAuthorization(value);
  return SECRET.test(name) ? [value] : [];
}

/** The secret part of an Authorization: everything after the public key, or after the scheme if there is no colon. */
function secretsInAuthorization(value: string): readonly string[] {
  const text = value.trim();
  const [first = '', ...behind] = text.slice(text.indexOf(' ') + 1).split(':');
  return behind.length === 0 ? [first] : [behind.join(':'), ...behind];
}

function secretsInParameters(query: string): readonly string[] {
  return query.split('&').flatMap((pair) => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, at));
    if (!SECRET.test(urlDecode(name) ?? name)) return [];
    const value = pair.slice(at + 1);
    return [value, urlDecode(value) ?? value];
  });
}

const MEMBER = /"([^"\\]*)"[ \t\r\n]*:[ \t\r\n]*"([^"\\]*)"/g;

/** Hides the secrets of a body, which may be a multipart form, JSON, or a form like a query. */
function secretsInBody(body: string): readonly string[] {
  const lines = body.split(/\r?\n/);
  const inParts = lines.flatMap((line, at) => {
    if (!/^content-disposition:.*name="?authorization\b/i.test(line)) return [];
    const empty = lines.indexOf('', at);
    return empty < 0 ? [] : secretsInAuthorization(lines[empty + 1] ?? '');
  });
  const inMembers = [...body.matchAll(MEMBER)].flatMap(([, name = '', value = '']) =>
    SECRET.test(name) ? [value] : [],
  );
  return [...inParts, ...inMembers, ...secretsInParameters(body)];
}
