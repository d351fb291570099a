/**
 * The built-in pages: health, and recent requests.
 *
 * @module
 */
import { isIP } from 'node:net';
import type { Service } from '../authentication/service.ts';
import { fileError, quote } from '../messages/errors.ts';
import { type Answer, type Exchange, jsonAnswer, type WireRequest } from '../messages/exchange.ts';
import { hostName, isLoopback } from '../messages/hosts.ts';
import { type Judgement, signatureMember } from '../messages/judgement.ts';
import { hideSignatures } from '../messages/redaction.ts';
import { renderRecent, renderWrong } from './recent-requests.ts';
import { PAGE_POLICY } from './style.ts';

/** No caching, no guessing of the type, no use by other sites. */
const PRIVATE: Answer['headers'] = [
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
];

export function answerBuiltInPage(service: Service, path: string, wire: WireRequest): Answer {
  const { method } = wire;
  if (method !== 'GET' && method !== 'HEAD') throw fileError('methodRefused', method);
  if (path === '/-/health') return jsonAnswer(200, { status: 'ok' }, PRIVATE);
  if (!PAGES.includes(path)) throw fileError('pageUnknown', path);
  const reason = refusalReason(service, wire);
  if (reason !== undefined) throw fileError('pageOff', reason);
  const exchanges = (service.exchanges?.() ?? []).toReversed().map(hideSignatures);
  switch (path) {
    case '/-/requests.json':
      return jsonAnswer(200, { requests: exchanges.map(exchangeMembers) }, PRIVATE);
    case '/-/wrong':
      return htmlAnswer(renderWrong(exchanges));
    default:
      return htmlAnswer(renderRecent(exchanges));
  }
}

/** The pages with recent requests. */
const PAGES: readonly string[] = ['/', '/-/', '/-/wrong', '/-/requests.json'];

/** The wildcard addresses. */
const ALL: readonly string[] = ['0.0.0.0', '::'];

/**
 * Why recent requests are not shown to this client; undefined if they are.
 *
 * A web page can have its own host name resolved to this machine (DNS rebinding), so the page is refused under a name
 * that another site could own.
 */
function refusalReason({ exchanges, host = '' }: Service, wire: WireRequest): string | undefined {
  if (!exchanges) return 'it is switched off; --recent N, above 0, switches it on';
  const name = hostName(wire.host);
  const isOwn = isLoopback(name) || name === host.toLowerCase();
  if (isOwn || (ALL.includes(host) && isIP(name) !== 0)) return undefined;
  return `the host ${quote(name)} is not a name of this server; ask for it at localhost`;
}

function htmlAnswer(html: string): Answer {
  return {
    status: 200,
    headers: [
      ['Content-Type', 'text/html; charset=utf-8'],
      ['Content-Security-Policy', PAGE_POLICY],
      ['Referrer-Policy', 'no-referrer'],
      ...PRIVATE,
    ],
    body: { kind: 'bytes', bytes: Buffer.from(html, 'utf8') },
    code: 0,
  };
}

function exchangeMembers(exchange: Exchange): object {
  const { id, arrived, took, method, host, target, headers, status, code } = exchange;
  const { operation, bucket, key, message, judgement } = exchange;
  return {
    id,
    time: new Date(arrived).toISOString(),
    milliseconds: Math.round(took),
    method,
    host,
    target,
    headers,
    operation,
    bucket,
    key,
    status,
    code,
    message,
    signature: judgement && judgementMembers(judgement),
  };
}

function judgementMembers(judgement: Judgement): object {
  switch (judgement.kind) {
    case 'unsigned':
      return { verdict: 'unsigned' };
    case 'right': {
      const { signedIn, publicKey, vendorText } = judgement;
      return { verdict: 'right', signedIn, publicKey, vendorText };
    }
    case 'wrong': {
      const { publicKey } = judgement;
      return { verdict: 'wrong', publicKey, ...signatureMember(judgement) };
    }
  }
}
