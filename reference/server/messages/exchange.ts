/**
 * A request, its answer, and the record of both.
 *
 * @module
 */

import type { HeaderList } from '../../signing/index.ts';
import type { Judgement } from './judgement.ts';

export interface WireRequest {
  /** Names this request in the answer (`X-SessionId`), the log and the page of recent requests. */
  readonly id: string;
  readonly method: string;
  /** As the request line has it: a path, or a whole URL. */
  readonly target: string;
  /** From a whole URL in the request line, else from the header Host; with its port; in lower case. */
  readonly host: string;
  /** As it is sent, with its escapes; starts with a slash. */
  readonly path: string;
  /** As it is sent, without the question mark; empty if there is none. */
  readonly query: string;
  /** In their order, as they were written. */
  readonly headers: HeaderList;
  /** When its first line was read; in milliseconds since the epoch. */
  readonly arrived: number;
  readonly body: WireBody;
}

export interface WireBody {
  /** Content-Length; undefined for a chunked body. */
  readonly length: number | undefined;
  /** Can be read once; throws a `ServiceError` if the bytes break off, come too slowly or are too many. */
  readonly pieces: (most: number) => Pieces | Promise<Pieces>;
  /** The whole of a small body; throws the same errors. */
  readonly bytes: (most: number) => Promise<Uint8Array>;
}

/** A list if the whole body has arrived, which is much faster to read; else an iterable. */
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
    // The lengths differ in most cases, and are faster to compare.
    if (own.length === name.length && own.toLowerCase() === wanted) return value.trim();
  }
  return undefined;
}

export interface Answer {
  readonly status: number;
  /** Written exactly so; `Content-Length` is added if it is missing. */
  readonly headers: HeaderList;
  readonly body: AnswerBody;
  /** RetCode of an error; 0 for success. */
  readonly code: number;
}

export type AnswerBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** Sent as it is read; `length` is exact. */
  | {
      readonly kind: 'pieces';
      readonly length: number;
      readonly pieces: AsyncIterable<Uint8Array>;
    };

/** The media type must be exactly this: the SDKs for Python and PHP compare it. */
const JSON_TYPE = 'application/json';

export function emptyAnswer(status: number, headers: HeaderList = []): Answer {
  return { status, headers, body: { kind: 'none' }, code: 0 };
}

export function jsonAnswer(
  status: number,
  members: object,
  headers: HeaderList = [],
  code = 0,
): Answer {
  const bytes = Buffer.from(JSON.stringify(members), 'utf8');
  return {
    status,
    headers: [['Content-Type', JSON_TYPE], ...headers],
    body: { kind: 'bytes', bytes },
    code,
  };
}

/** The answer to a request, and what the log shows of it. */
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

export interface Exchange {
  readonly id: string;
  /** In milliseconds since the epoch. */
  readonly arrived: number;
  /** From the first line of the request to the last byte of the answer; in milliseconds. */
  readonly took: number;
  readonly method: string;
  readonly host: string;
  readonly target: string;
  readonly headers: HeaderList;
  /** Undefined if the request is for no part of the service. */
  readonly operation: string | undefined;
  readonly bucket: string | undefined;
  readonly key: string | undefined;
  readonly judgement: Judgement | undefined;
  readonly status: number;
  /** RetCode of an error; 0 for success. */
  readonly code: number;
  /** What went wrong. */
  readonly message: string | undefined;
}
