/**
 * One request and its answer, for the log, the page of recent requests and whoever watches.
 *
 * @module
 */
import type { HeaderList } from '../signing/index.ts';
import type { Judgement } from './judgement.ts';

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
  /** What the service takes the request for; nothing where it is none of its own. */
  readonly operation: string | undefined;
  readonly bucket: string | undefined;
  readonly key: string | undefined;
  readonly judgement: Judgement | undefined;
  readonly status: number;
  /** RetCode; 0 where all is well. */
  readonly code: number;
  /** The sentence of an error. */
  readonly message: string | undefined;
}
