/**
 * The server's own pages: whether it is there, and what it was asked of late.
 *
 * @module
 */
import { type Answer, jsonAnswer } from '../answer.ts';
import { fileErrorAnswer } from '../error-answer.ts';
import { FILE_ERRORS, serviceError } from '../errors.ts';
import type { Service } from '../service.ts';
import type { WireRequest } from '../wire-request.ts';
import { exchangeMembers } from './exchange-members.ts';
import { recentPage, wrongPage } from './recent-page.ts';
import { PAGE_POLICY } from './style.ts';

/** Nothing of it is to be kept, guessed at or shown within another page. */
const PRIVATE: Answer['headers'] = [
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
];

/** The page under `path`, which starts with a slash. */
export function ownAnswer(service: Service, path: string, wire: WireRequest): Answer {
  if (wire.method !== 'GET' && wire.method !== 'HEAD') {
    return fileErrorAnswer(serviceError(FILE_ERRORS.methodRefused, wire.method), wire);
  }
  const exchanges = (service.exchanges?.() ?? []).toReversed();
  switch (path) {
    case '/-/health':
      return jsonAnswer(200, { status: 'ok' }, PRIVATE);
    case '/-/requests.json':
      return jsonAnswer(200, { requests: exchanges.map(exchangeMembers) }, PRIVATE);
    case '/':
    case '/-/':
      return htmlAnswer(recentPage(exchanges));
    case '/-/wrong':
      return htmlAnswer(wrongPage(exchanges));
    default:
      return fileErrorAnswer(serviceError(FILE_ERRORS.pageUnknown, path), wire);
  }
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
