/**
 * What the service answers.
 *
 * @module
 */
import type { HeaderList } from '../signing/index.ts';

export interface Answer {
  readonly status: number;
  /** Written exactly so; `Content-Length` is added where the body says its length. */
  readonly headers: HeaderList;
  readonly body: AnswerBody;
  /** RetCode of the answer's JSON; 0 where there is none or all is well. */
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

/** An answer without a body. */
export function emptyAnswer(status: number, headers: HeaderList = []): Answer {
  return { status, headers, body: { kind: 'none' }, code: 0 };
}

/** An answer whose body is JSON. */
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
