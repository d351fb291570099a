/**
 * How much, how many and how long: nothing that a client does makes the server hang or grow.
 *
 * @module
 */

/** Sizes in bytes, times in milliseconds. */
export interface Limits {
  /** Of the request line and all headers together. */
  readonly headSize: number;
  /** From the first byte of a connection or a request until its headers are whole. */
  readonly headTime: number;
  /** Of one put, one form or one part. */
  readonly bodySize: number;
  /** What is read and thrown away of a body that nobody wanted, so that its sender reads the answer. */
  readonly unreadSize: number;
  /** How long a client may send nothing, or take nothing, in the midst of a body. */
  readonly stallTime: number;
  /** What a client has to send, or take, at least; in bytes per second, over each `stallTime` that it is waited for. */
  readonly leastSpeed: number;
  /** From the headers of a request until its answer begins. */
  readonly answerTime: number;
  /** How long a connection is kept on which nothing is asked. */
  readonly idleTime: number;
  /** Open at once. */
  readonly connections: number;
  /** Requests sent ahead on one connection; beyond it, nothing is read from it for a while. */
  readonly pipelined: number;
  /** What a stop leaves to running requests. */
  readonly stopTime: number;
}

const MEBIBYTE = 1024 * 1024;

export const DEFAULT_LIMITS: Limits = {
  headSize: 32 * 1024,
  headTime: 20_000,
  bodySize: 512 * MEBIBYTE,
  unreadSize: 512 * MEBIBYTE,
  stallTime: 20_000,
  leastSpeed: 1024,
  answerTime: 15 * 60_000,
  idleTime: 30_000,
  connections: 512,
  pipelined: 32,
  stopTime: 5_000,
};
