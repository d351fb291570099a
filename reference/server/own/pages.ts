/**
 * The server's own pages: whether it is there, and what it was asked of late.
 *
 * @module
 */
import { isIP } from 'node:net';
import { type Answer, jsonAnswer } from '../answer.ts';
import { fileErrorAnswer } from '../error-answer.ts';
import { FILE_ERRORS, serviceError } from '../errors.ts';
import { hostName } from '../http/address.ts';
import { isLoopback } from '../loopback.ts';
import { quoted } from '../quoted.ts';
import { withoutSignature } from '../redacted.ts';
import type { Service } from '../service.ts';
import type { WireRequest } from '../wire-request.ts';
import { exchangeMembers } from './exchange-members.ts';
import { recentPage, wrongPage } from './recent-page.ts';
import { PAGE_POLICY } from './style.ts';

/** Nothing of it is to be kept, guessed at or shown within another page. */
const PRIVATE: Answer['headers'] = [
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
];

/** The page under `path`, which starts with a slash. */
export function ownAnswer(service: Service, path: string, wire: WireRequest): Answer {
  if (wire.method !== 'GET' && wire.method !== 'HEAD') {
    return fileErrorAnswer(serviceError(FILE_ERRORS.methodRefused, wire.method), wire);
  }
  if (path === '/-/health') return jsonAnswer(200, { status: 'ok' }, PRIVATE);
  if (!PAGES.includes(path)) {
    return fileErrorAnswer(serviceError(FILE_ERRORS.pageUnknown, path), wire);
  }
  const why = whyOff(service, wire);
  if (why !== undefined) return fileErrorAnswer(serviceError(FILE_ERRORS.pageOff, why), wire);
  const exchanges = (service.exchanges?.() ?? []).toReversed().map(withoutSignature);
  switch (path) {
    case '/-/requests.json':
      return jsonAnswer(200, { requests: exchanges.map(exchangeMembers) }, PRIVATE);
    case '/-/wrong':
      return htmlAnswer(wrongPage(exchanges));
    default:
      return htmlAnswer(recentPage(exchanges));
  }
}

/** Of recent requests. */
const PAGES: readonly string[] = ['/', '/-/', '/-/wrong', '/-/requests.json'];

/** Addresses that stand for all that the machine has. */
const ALL: readonly string[] = ['0.0.0.0', '::'];

/**
 * Why recent requests are not shown to this client; nothing where they are.
 *
 * A web page of anywhere can have its own name resolved to this machine (DNS rebinding), so the name that the server
 * is called by decides: the page is off for a name that another site could own.
 */
function whyOff({ exchanges, host = '' }: Service, wire: WireRequest): string | undefined {
  if (!exchanges) return 'it is switched off; --recent N, above 0, switches it on';
  const name = hostName(wire.host);
  const isOwn = isLoopback(name) || name === host.toLowerCase();
  if (isOwn || (ALL.includes(host) && isIP(name) !== 0)) return undefined;
  return `the host ${quoted(name)} is not a name of this server; ask for it at localhost`;
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
