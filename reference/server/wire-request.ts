/**
 * A request as it came in, before anybody says what it means.
 *
 * @module
 */
import type { HeaderList } from '../signing/index.ts';

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
  /** As it is sent, without the question mark; empty where there is none. */
  readonly query: string;
  /** In the order in which they came, as they were written. */
  readonly headers: HeaderList;
  /** When its first line was there; in milliseconds since the epoch. */
  readonly arrived: number;
  readonly body: WireBody;
}

export interface WireBody {
  /** What Content-Length says; nothing where the body is chunked or has no length. */
  readonly length: number | undefined;
  /** The bytes, once; throws a `ServiceError` where they break off, come too slowly or are too many. */
  readonly pieces: (most: number) => AsyncIterable<Uint8Array>;
  /** The whole of a body that must be small, once; the same errors. */
  readonly bytes: (most: number) => Promise<Uint8Array>;
}

/** The value of the first header of a name, without the blanks around it; nothing where there is none. */
export function headerOf(
  { headers }: Pick<WireRequest, 'headers'>,
  name: string,
): string | undefined {
  const wanted = name.toLowerCase();
  return headers.find(([own]) => own.toLowerCase() === wanted)?.[1].trim();
}
