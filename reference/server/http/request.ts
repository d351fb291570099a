/**
 * Converts a request of Node to a `WireRequest`, and reads its body.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http';
import type { Pair } from '../../signing/index.ts';
import { httpError, quote, ServiceError } from '../messages/errors.ts';
import {
  type Arrival,
  headerValue,
  type Pieces,
  type WireBody,
  type WireRequest,
} from '../messages/exchange.ts';
import { readArrived } from './first-line.ts';
import { createEventWait, createPaceCheck, type EventWait, type Limits } from './limits.ts';

export function toArrival(message: IncomingMessage, id: string, arrived: number): Arrival {
  const { rawHeaders, method = '', url = '' } = message;
  const headers: Pair[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers.push([rawHeaders[at] ?? '', decodeWire(rawHeaders[at + 1] ?? '')]);
  }
  const target = decodeWire(url);
  const host = targetHost(target) ?? headerValue({ headers }, 'Host')?.toLowerCase() ?? '';
  return { id, arrived, method, host, target, headers };
}

/** @throws ServiceError if the target or the header Host is malformed */
export function toWireRequest(arrival: Arrival, body: WireBody, version: string): WireRequest {
  const { target, headers } = arrival;
  const hosts = headers.filter(([name]) => name.toLowerCase() === 'host').length;
  if (hosts > 1) {
    throw httpError(400, `the header Host appears ${hosts} times; RFC 9112 allows it once`);
  }
  if (hosts === 0 && version === '1.1' && targetHost(target) === undefined) {
    throw httpError(400, 'the header Host is missing; RFC 9112 wants it in HTTP/1.1');
  }
  // Spreads take 10 µs longer (bench/server-ratio.ts).
  const { id, method, host, arrived } = arrival;
  const { path, query } = parseTarget(target);
  return { id, method, target, host, path, query, headers, arrived, body };
}

const WHOLE_URL = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)/is;

/** The host of a whole URL, in lower case and with its port; undefined for a path. */
export function targetHost(target: string): string | undefined {
  return target.startsWith('/') ? undefined : WHOLE_URL.exec(target)?.[2]?.toLowerCase();
}

/** The path and query as sent, without decoding escapes or resolving `..`. */
export function parseTarget(target: string): { readonly path: string; readonly query: string } {
  const local = parsePath(target);
  const mark = local.indexOf('?');
  const [path, query] = mark < 0 ? [local, ''] : [local.slice(0, mark), local.slice(mark + 1)];
  return { path: path === '' ? '/' : path, query };
}

function parsePath(target: string): string {
  // `OPTIONS *` is about the server as a whole.
  if (target === '*') return '/';
  if (target.startsWith('/')) return target;
  const [, scheme, host = '', path = ''] = WHOLE_URL.exec(target) ?? [];
  if (scheme === undefined) {
    throw httpError(
      400,
      `the target ${quote(target)} is neither a path nor a URL; begin it with /`,
    );
  }
  if (scheme.toLowerCase() === 'https') {
    // Some clients send the request for an https URL to their proxy as it is, instead of opening a tunnel.
    throw httpError(
      400,
      'the request for an https URL came in plain text; set https_proxy to this server, not http_proxy alone, so that the client opens a tunnel (CONNECT), and have it trust the certificate that /-/ca.pem answers; or give it an http:// endpoint',
    );
  }
  if (scheme.toLowerCase() !== 'http') {
    throw httpError(400, `only http URLs are accepted in a request line, not ${quote(scheme)}`);
  }
  if (host === '' || host.includes('@')) {
    throw httpError(
      400,
      `the URL in the request line has ${host === '' ? 'no host' : 'a user name'}`,
    );
  }
  return path;
}

/** Decodes UTF-8 from a text in which Node has written each byte as a character. Text that is not UTF-8 stays unchanged. */
function decodeWire(bytes: string): string {
  if (!/[\u0080-\u00ff]/.test(bytes)) return bytes;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(bytes, 'latin1'),
    );
  } catch {
    return bytes;
  }
}

/** Encodes a text as UTF-8 with one character for each byte, as Node expects it. */
export function encodeWire(text: string): string {
  return BEYOND_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

const BEYOND_ASCII = /[^\0-\x7f]/;

/** The largest body that `read` returns at once, in bytes. */
const SMALL = 64 * 1024;

export class IncomingBody implements WireBody {
  readonly length: number | undefined;
  readonly #message: IncomingMessage;
  readonly #limits: Limits;
  readonly #broken: AbortSignal;
  readonly #begin: () => void;
  #isTaken = false;
  #isBroken = false;
  #isGivenUp = false;

  /**
   * @param broken aborts reading; its reason is the error
   * @param begin is called before the first read
   */
  constructor(message: IncomingMessage, limits: Limits, broken: AbortSignal, begin: () => void) {
    this.length = contentLength(message);
    this.#message = message;
    this.#limits = limits;
    this.#broken = broken;
    this.#begin = begin;
  }

  /** Whether the whole body was read. */
  get isWhole(): boolean {
    const { readableEnded, complete, readableLength } = this.#message;
    return this.length === 0 || readableEnded || (complete && readableLength === 0);
  }

  /** Whether the rest of the body cannot be read. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  async pieces(most: number): Promise<Pieces> {
    if (this.#isTaken) throw new Error('the body was read already');
    this.#isTaken = true;
    const bound = Math.min(most, this.#limits.bodySize);
    if (this.length !== undefined && this.length > bound) throw tooLongError(bound, this.length);
    this.#begin();
    if (this.length === 0) return [];
    // A small body usually arrives with its headers, or in this turn of the event loop.
    const isSmall = this.length !== undefined && this.length <= SMALL;
    if (isSmall && !this.#message.complete) await new Promise(setImmediate);
    return this.#message.complete ? this.#readArrived(bound) : this.#read(bound);
  }

  async bytes(most: number): Promise<Uint8Array> {
    const all: Uint8Array[] = [];
    for await (const piece of await this.pieces(most)) all.push(piece);
    return Buffer.concat(all);
  }

  /** Discards the rest of the body, even while it is being read elsewhere. Resolves to true if the end was reached. */
  async drain(): Promise<boolean> {
    this.#isGivenUp = true;
    try {
      for await (const _ of this.#readPieces(this.#limits.unreadSize));
      return true;
    } catch {
      return false;
    }
  }

  #readArrived(most: number): readonly Uint8Array[] {
    const piece = readArrived(this.#message);
    if (!piece) return [];
    if (piece.length > most) throw tooLongError(most);
    return [piece];
  }

  async *#read(most: number): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of this.#readPieces(most)) {
        if (this.#isGivenUp) break;
        yield piece;
      }
      // `drain` has discarded bytes, so the end of the stream does not mean that this reader got all bytes.
      if (this.#isGivenUp) {
        throw httpError(503, 'the body is not read any further; its request is answered already');
      }
    } catch (error) {
      this.#isBroken = !(error instanceof ServiceError) || error.closes;
      throw error;
    }
  }

  async *#readPieces(most: number): AsyncGenerator<Uint8Array> {
    const message = this.#message;
    const isFastEnough = createPaceCheck(this.#limits);
    const names = ['readable', 'end', 'close'] as const;
    const events = createEventWait(message, names, this.#limits.stallTime, this.#broken);
    let received = 0;
    let waited = 0;
    try {
      while (!message.readableEnded) {
        const piece = readArrived(message);
        if (!piece) {
          waited += await this.#waitForMore(events, received);
          continue;
        }
        received += piece.length;
        if (received > most) throw tooLongError(most);
        if (!isFastEnough(waited, piece.length)) throw tooSlowError(received);
        waited = 0;
        yield piece;
      }
    } finally {
      events.stop();
    }
  }

  /** Waits for more bytes or the end. Returns the time, in milliseconds. */
  async #waitForMore(
    events: EventWait<'readable' | 'end' | 'close'>,
    received: number,
  ): Promise<number> {
    const message = this.#message;
    const brokenOff = (): Error => httpError(400, `the body breaks off after ${received} bytes`);
    if (message.destroyed) throw brokenOff();
    const from = performance.now();
    const next = await events.next();
    if (next === 'late') throw tooSlowError(received);
    const isGone = next === 'close' || message.socket.destroyed;
    if (isGone && !message.readableEnded) throw brokenOff();
    if (next === 'aborted') throw this.#broken.reason;
    return performance.now() - from;
  }
}

/** The announced length of the body: zero without a length, undefined for a chunked body. */
function contentLength({ headers }: IncomingMessage): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined;
  return Number(headers['content-length'] ?? 0);
}

function tooLongError(most: number, length?: number): Error {
  const observed = length === undefined ? 'more arrived' : `${length} bytes are announced`;
  return httpError(
    413,
    `the body of this request may have at most ${most} bytes; ${observed}`,
    false,
  );
}

function tooSlowError(received: number): Error {
  return httpError(408, `the body came too slowly: ${received} bytes, then next to nothing`);
}
