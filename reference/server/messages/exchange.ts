/**
 * A request, its answer, and the record of both.
 *
 * @module
 */

import type { HeaderList } from '../../signing/index.ts';
import type { Judgement } from './judgement.ts';

/** The parts of a request that are known even if its target is malformed. */
export interface Arrival {
  /** The id of this request in the answer (`X-SessionId`), the log and the page of recent requests. */
  readonly id: string;
  /** The time at which the first line was read; in milliseconds since the epoch. */
  readonly arrived: number;
  readonly method: string;
  /** The host with its port, in lower case: from a URL in the request line, or else from the header Host; empty without both. */
  readonly host: string;
  /** The target of the request line: a path, or a whole URL. */
  readonly target: string;
  /** The headers as sent, in order. */
  readonly headers: HeaderList;
}

export interface WireRequest extends Arrival {
  /** The path as sent, with its escapes; starts with a slash. */
  readonly path: string;
  /** The query as sent, without the question mark; empty without a query. */
  readonly query: string;
  readonly body: WireBody;
}

export interface WireBody {
  /** Content-Length; undefined for a chunked body. */
  readonly length: number | undefined;
  /** The body, which can be read once. Throws a `ServiceError` if the bytes end early, arrive too slowly or are too many. */
  readonly pieces: (most: number) => Pieces | Promise<Pieces>;
  /** The whole body, up to a limit. Throws the same errors. */
  readonly bytes: (most: number) => Promise<Uint8Array>;
}

/** The pieces of a body: a list if the whole body has arrived, which is much faster to read, or else an iterable. */
export type Pieces = AsyncIterable<Uint8Array> | readonly Uint8Array[];

export const isComplete = (pieces: Pieces): pieces is readonly Uint8Array[] =>
  Array.isArray(pieces);

/** The first header of this name, without the whitespace around its value. */
export function headerValue(
  { headers }: Pick<WireRequest, 'headers'>,
  name: string,
): string | undefined {
  const wanted = name.toLowerCase();
  for (const [own, value] of headers) {
    // The lengths usually differ and are faster to compare.
    if (own.length === name.length && own.toLowerCase() === wanted) return value.trim();
  }
  return undefined;
}

export interface Answer {
  readonly status: number;
  /** The headers, sent exactly as written here; `Content-Length` is added if it is missing. */
  readonly headers: HeaderList;
  readonly body: AnswerBody;
  /** RetCode of an error; 0 for success. */
  readonly code: number;
}

/** Either all bytes, or bytes that are sent while they are read; then `length` must be exact. */
export type AnswerBody = Uint8Array | Streamed;

interface Streamed {
  readonly length: number;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** The media type of JSON. The SDKs for Python and PHP compare it with exactly this text. */
const JSON_TYPE = 'application/json';

export function emptyAnswer(status: number, headers: HeaderList = []): Answer {
  return { status, headers, body: new Uint8Array(), code: 0 };
}

export function textAnswer(
  status: number,
  type: string,
  text: string,
  headers: HeaderList = [],
  code = 0,
): Answer {
  const body = Buffer.from(text, 'utf8');
  return { status, headers: [['Content-Type', type], ...headers], body, code };
}

export function jsonAnswer(
  status: number,
  members: object,
  headers: HeaderList = [],
  code = 0,
): Answer {
  return textAnswer(status, JSON_TYPE, JSON.stringify(members), headers, code);
}

export interface Outcome {
  readonly answer: Answer;
  readonly operation?: string;
  readonly bucket?: string;
  readonly key?: string;
  readonly judgement?: Judgement;
  readonly message?: string;
}

/** The operation of requests for built-in pages; the page of recent requests does not list them. */
export const BUILT_IN_PAGE = 'OwnPage';

export interface Exchange extends Arrival {
  /** The time from the first line of the request to the last byte of the answer; in milliseconds. */
  readonly took: number;
  /** The operation; undefined if the request is for no part of the service. */
  readonly operation: string | undefined;
  readonly bucket: string | undefined;
  readonly key: string | undefined;
  readonly judgement: Judgement | undefined;
  readonly status: number;
  /** RetCode of an error; 0 for success. */
  readonly code: number;
  readonly message: string | undefined;
}
