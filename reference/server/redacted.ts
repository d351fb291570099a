/**
 * Requests without their signatures, for pages and logs that others may read.
 *
 * @module
 */
import { urlDecode } from '../signing/index.ts';
import type { Exchange } from './exchange.ts';
import type { Judgement, SuspectRequest } from './judgement.ts';
import { hidingTexts, textsChanged } from './secret-keys.ts';

const INSTEAD = '<signature>';

/** A shorter text is no usable signature, and would be found everywhere. */
const SHORTEST = 6;

/** Parameters and headers whose values let their reader in. */
const SECRET = /signature|token|secret|password|cookie/i;

/** The exchange as it may be shown: nothing in it can be sent again. */
export function withoutSignature(exchange: Exchange): Exchange {
  const { judgement } = exchange;
  if (judgement === undefined || judgement.kind === 'unsigned') return hidden(exchange, undefined);
  const { request, ...rest } = judgement;
  const shown = { ...exchange, judgement: rest };
  return isHarmless(judgement) ? shown : hidden(shown, request);
}

/** A signature that fits nothing, made with the published development key: its reader needs it, and could make it. */
function isHarmless(judgement: Judgement): boolean {
  return (
    judgement.kind === 'wrong' &&
    judgement.reason === 'signature-mismatch' &&
    judgement.diagnosis?.expected !== undefined
  );
}

/** Wherever a signature stands, it is hidden; it may be quoted in a message or be a part of the string to sign. */
function hidden(exchange: Exchange, request: SuspectRequest | undefined): Exchange {
  const { headers, target, judgement } = exchange;
  const diagnosis = judgement?.kind === 'wrong' ? judgement.diagnosis : undefined;
  const found = [
    ...headers.flatMap(([name, value]) => inHeader(name, value)),
    ...inParameters(target.slice(target.indexOf('?') + 1)),
    ...(request ? inBody(request.body) : []),
    ...(diagnosis ? [diagnosis.received] : []),
  ];
  const texts = found.map((text) => text.trim()).filter(({ length }) => length >= SHORTEST);
  return texts.length === 0 ? exchange : textsChanged(exchange, hidingTexts(texts, INSTEAD));
}

function inHeader(name: string, value: string): readonly string[] {
  if (/authorization/i.test(name)) return inAuthorization(value);
  return SECRET.test(name) ? [value] : [];
}

/** All behind the public key, a policy too; all behind the scheme, where there is no colon. */
function inAuthorization(value: string): readonly string[] {
  const text = value.trim();
  const [first = '', ...behind] = text.slice(text.indexOf(' ') + 1).split(':');
  return behind.length === 0 ? [first] : [behind.join(':'), ...behind];
}

function inParameters(query: string): readonly string[] {
  return query.split('&').flatMap((pair) => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, at));
    if (!SECRET.test(urlDecode(name) ?? name)) return [];
    const value = pair.slice(at + 1);
    return [value, urlDecode(value) ?? value];
  });
}

const MEMBER = /"([^"\\]*)"[ \t\r\n]*:[ \t\r\n]*"([^"\\]*)"/g;

/** Of a form with parts, of JSON, or of a form that is written like a query. */
function inBody(body: string): readonly string[] {
  const lines = body.split(/\r?\n/);
  const inParts = lines.flatMap((line, at) => {
    if (!/^content-disposition:.*name="?authorization\b/i.test(line)) return [];
    const empty = lines.indexOf('', at);
    return empty < 0 ? [] : inAuthorization(lines[empty + 1] ?? '');
  });
  const inMembers = [...body.matchAll(MEMBER)].flatMap(([, name = '', value = '']) =>
    SECRET.test(name) ? [value] : [],
  );
  return [...inParts, ...inMembers, ...inParameters(body)];
}
