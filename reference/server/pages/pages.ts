/**
 * The built-in pages: health, recent requests, buckets with their files, and the reset.
 *
 * @module
 */
import { isIP } from 'node:net';
import type { Service } from '../authentication/service.ts';
import { fileError, quote } from '../messages/errors.ts';
import {
  type Answer,
  type Exchange,
  headerValue,
  jsonAnswer,
  textAnswer,
  type WireRequest,
} from '../messages/exchange.ts';
import { hostName, isLoopback } from '../messages/hosts.ts';
import { type Judgement, signatureMember } from '../messages/judgement.ts';
import { hideSignatures } from '../messages/redaction.ts';
import { answerFile, renderBucketPage, renderBuckets } from './buckets.ts';
import { PAGE_POLICY } from './page.ts';
import { renderRecent, renderWrong } from './recent-requests.ts';

/** The headers of pages: no caching, no guessing of the type, no use by other sites. */
const PRIVATE: Answer['headers'] = [
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
];

export async function answerBuiltInPage(service: Service, wire: WireRequest): Promise<Answer> {
  const { method, path } = wire;
  if (path === RESET) return answerReset(service, wire);
  if (method !== 'GET' && method !== 'HEAD') throw fileError('methodRefused', method);
  if (path === '/-/health') return jsonAnswer(200, { status: 'ok' }, PRIVATE);
  if (path === '/-/ca.pem') return answerCertificate(service);
  const createPage = PAGES[path];
  if (!createPage) throw fileError('pageUnknown', path);
  const reason = refusalReason(service, wire);
  if (reason !== undefined) throw fileError('pageOff', reason);
  const page = await createPage(service, wire);
  if (typeof page === 'string') return htmlAnswer(page);
  return { ...page, headers: [...page.headers, ...PRIVATE] };
}

const RESET = '/-/reset';

/** Either HTML, or an answer of another kind. */
type Page = string | Answer;

/** The pages that show what clients have sent. */
const PAGES: Readonly<
  Record<string, (service: Service, wire: WireRequest) => Page | Promise<Page>>
> = {
  '/': (service) => renderRecent(recentExchanges(service)),
  '/-/': (service) => renderRecent(recentExchanges(service)),
  '/-/wrong': (service) => renderWrong(recentExchanges(service)),
  '/-/requests.json': (service) =>
    jsonAnswer(200, { requests: recentExchanges(service).map(exchangeMembers) }),
  '/-/buckets': renderBuckets,
  '/-/bucket': renderBucketPage,
  '/-/file': answerFile,
};

/** The latest first. */
function recentExchanges({ exchanges }: Service): readonly Exchange[] {
  return (exchanges?.() ?? []).toReversed().map(hideSignatures);
}

/** Any client may reset the server, except a web page of another site. */
async function answerReset(service: Service, wire: WireRequest): Promise<Answer> {
  if (wire.method !== 'POST') throw fileError('methodRefused', wire.method);
  const origin = headerValue(wire, 'Origin');
  const isOwn =
    origin === undefined || origin.toLowerCase().replace(/^https?:\/\//, '') === wire.host;
  if (!isOwn || headerValue(wire, 'Sec-Fetch-Site') === 'cross-site') {
    throw fileError('resetRefused', 'the request comes from a page of another site');
  }
  await service.reset?.();
  return jsonAnswer(200, { status: 'reset' }, PRIVATE);
}

function answerCertificate({ certificate }: Service): Answer {
  if (certificate === undefined) throw fileError('pageUnknown', '/-/ca.pem');
  return textAnswer(200, 'application/x-pem-file', certificate, PRIVATE);
}

/** The addresses that listen on all interfaces. */
const ALL: readonly string[] = ['0.0.0.0', '::'];

/**
 * Why these pages are not shown to this client; undefined if they are.
 *
 * A web page can have its own host name resolved to this machine (DNS rebinding), so the page is refused under a name
 * that another site could own.
 */
function refusalReason({ exchanges, host = '' }: Service, wire: WireRequest): string | undefined {
  if (!exchanges) return 'it is switched off; pass --recent N with N above 0';
  const name = hostName(wire.host);
  const isOwn = isLoopback(name) || name === host.toLowerCase();
  if (isOwn || (ALL.includes(host) && isIP(name) !== 0)) return undefined;
  return `the host ${quote(name)} is not a name of this server; open it under localhost`;
}

function htmlAnswer(html: string): Answer {
  return textAnswer(200, 'text/html; charset=utf-8', html, [
    ['Content-Security-Policy', PAGE_POLICY],
    ['Referrer-Policy', 'no-referrer'],
    ...PRIVATE,
  ]);
}

function exchangeMembers({ id, arrived, took, judgement, ...rest }: Exchange): object {
  return {
    id,
    time: new Date(arrived).toISOString(),
    milliseconds: Math.round(took),
    ...rest,
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
