/**
 * Sends a request on a connection of its own, reads the response, and turns it into a reply.
 *
 * @module
 */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectSecure } from 'node:tls';
import { hasMembers, isText, parseJsonIfValid, systemCode } from '../../../reference/values.ts';
import { computeAnswer, isRefused } from '../../engine/answer.ts';
import { quoteStart } from '../../engine/excerpt.ts';
import type { Dialect, Question, Reply } from '../../engine/protocol.ts';
import { formatSpent, TimeLimit } from '../adapter/time-limit.ts';
import type { Server } from './server.ts';
import type { WireRequest } from './wire-request.ts';

export interface Response {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<IncomingMessage['headers']>;
  /** The first part of the body. */
  readonly body: string;
}

export interface NoResponse {
  readonly kind: 'crashed' | 'timeout' | 'garbage';
  readonly message: string;
}

/** How much of a body is read; in bytes. */
const LONGEST_BODY = 256 * 1024;

/** Sends the bytes of a request without any change. */
export function sendRequest(request: WireRequest, server: Server): Promise<Response | NoResponse> {
  return new Promise((resolve) => {
    const socket = openSocket(server);
    const end = (outcome: Response | NoResponse): void => {
      limit.stop();
      resolve(outcome);
      socket.destroy();
    };
    const limit = new TimeLimit(server.timeout, (spent) => {
      end({ kind: 'timeout', message: `no answer ${formatSpent(spent)}` });
    });
    limit.start();
    const fail = (error: Error): void => end(toNoResponse(error));
    socket.once('error', fail);
    // Node's client parses the response. It needs the method to know whether a body follows.
    const parser = httpRequest({
      method: request.method,
      createConnection: () => replaceOutput(toBytes(request), socket),
    });
    parser.once('error', fail);
    parser.once('response', (response) => {
      void readBody(response).then((body) => {
        end({ status: response.statusCode ?? 0, headers: response.headers, body });
      }, fail);
    });
    parser.end();
  });
}

function openSocket({ url }: Server): Socket {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (url.protocol === 'http:') return connectPlain({ host, port: Number(url.port || 80) });
  // RFC 6066 allows no IP address as a server name.
  const named = isIP(host) === 0 ? { servername: host } : {};
  return connectSecure({ host, port: Number(url.port || 443), ...named });
}

/** Sends the bytes in place of what Node's client writes, because it rejects some requests of a probe. */
function replaceOutput(bytes: Uint8Array, socket: Socket): Duplex {
  const duplex = new Duplex({
    read: () => {},
    write: (_chunk: unknown, _encoding, done) => done(),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on('data', (chunk) => duplex.push(chunk));
  socket.once('end', () => duplex.push(null));
  socket.write(bytes);
  return duplex;
}

function toBytes({ method, target, headers, body }: WireRequest): Uint8Array {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`, 'utf8');
}

async function readBody(response: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response) {
    pieces.push(piece);
    size += piece.length;
    if (size > LONGEST_BODY) break;
  }
  return Buffer.concat(pieces).toString('utf8');
}

const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Node names these failures by its calls, and OpenSSL by its source files. */
const FAILURES: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['EAI_AGAIN', 'the address of its host cannot be looked up'],
  ['ECONNREFUSED', 'nothing accepts connections at its address'],
  ['ECONNRESET', 'the connection was closed without an answer'],
  ['EHOSTUNREACH', 'its host cannot be reached'],
  ['ENETUNREACH', 'its network cannot be reached'],
  ['ENOTFOUND', 'its host has no address'],
  ['EPIPE', 'the connection was closed without an answer'],
  ['EPROTO', 'it answers without TLS, or in a version of TLS that Node refuses; try http://'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host'],
  ['ETIMEDOUT', 'it did not accept the connection in time'],
]);

function toNoResponse(error: Error): NoResponse {
  const code = systemCode(error) ?? '';
  const { message } = error;
  if (code.startsWith('HPE_')) {
    return { kind: 'garbage', message: `the answer is not HTTP/1.1: ${quoteStart(message)}` };
  }
  if (UNTRUSTED.has(code)) {
    const problem = `its certificate is not trusted (${code}); name the file of its authority in NODE_EXTRA_CA_CERTS`;
    return { kind: 'crashed', message: problem };
  }
  const why = FAILURES.get(code);
  return { kind: 'crashed', message: why === undefined ? message : `${why} (${code})` };
}

/** Responses to actions may have the status 200 even for errors, so their codes decide. */
const SIGNATURE_CODES: ReadonlyMap<number, string> = new Map([
  [-148658, 'signature-mismatch'],
  [-148643, 'authorization-missing'],
  [170, 'signature-missing'],
  [171, 'signature-mismatch'],
  [172, 'public-key-unknown'],
  [173, 'signature-mismatch'],
  [174, 'public-key-unknown'],
]);

/** For signatures, and for requests that are too long to be read. */
const REFUSING_STATUSES = [401, 403, 413, 414, 431];

/** Refuses a malformed request. For any other request, it reports a problem that is not the signature. */
const BAD_REQUEST = 400;

/** 160: a required parameter is missing. 90002: the built-in server cannot read the parameters. */
const FORM_CODES = [160, 90002];

/** 220: a parameter is missing, whose name is in the message. */
const MISSING_PARAMETER = 220;
const REQUIRED_PARAMETERS = /Action|PublicKey|Signature/;

/**
 * Any response except a signature error counts as accepted, such as an unknown action or a missing file.
 *
 * @param isMalformed whether the specification refuses the request for its form
 */
export function toReply(
  response: Response | NoResponse,
  publicKey: string,
  isMalformed: () => boolean,
): Reply {
  if ('kind' in response) return response;
  const { status, body } = response;
  const message = `answered ${status}${body === '' ? '' : ` ${quoteStart(body, 120)}`}`;
  // 501 Not Implemented: the server does not support the request.
  if (status === 501) return { kind: 'unsupported' };
  if (status >= 500) return { kind: 'error', message };
  const reason = status === BAD_REQUEST && isMalformed() ? 'malformed' : findReason(status, body);
  return reason === undefined
    ? { kind: 'result', result: { publicKey }, trace: {} }
    : { kind: 'refused', reason, message };
}

/** Finds the reason code of a refusal, or names its status; undefined for an accepted request. */
function findReason(status: number, body: string): string | undefined {
  const value = parseJsonIfValid(body);
  const { RetCode: code, ErrMsg, Message, Signature } = hasMembers(value) ? value : {};
  const text = String(ErrMsg ?? Message ?? '');
  const isSignatureError =
    REFUSING_STATUSES.includes(status) ||
    SIGNATURE_CODES.has(Number(code)) ||
    FORM_CODES.includes(Number(code)) ||
    (code === MISSING_PARAMETER && REQUIRED_PARAMETERS.test(text));
  if (!isSignatureError) return undefined;
  if (hasMembers(Signature) && isText(Signature['reason'])) return Signature['reason'];
  // The code for an expired URL is not published, but its message has these words.
  if (/time ?out|expire/i.test(text)) return 'expired';
  return SIGNATURE_CODES.get(Number(code)) ?? `status ${status}`;
}

/** The reasons for which the specification refuses a well-formed request. */
const SIGNATURE_REASONS: readonly string[] = [
  'signature-mismatch',
  'public-key-unknown',
  'expired',
];

/** Whether the specification refuses the request of a question for its form, before its signature is compared. */
export function isMalformed(question: Question, dialect: Dialect): boolean {
  const answer = computeAnswer(question, dialect);
  return isRefused(answer) && !SIGNATURE_REASONS.includes(answer.reason);
}
