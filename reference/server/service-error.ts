/**
 * What the service says no to, with status, code and message as far as they are known of the real one.
 *
 * @module
 */

/** Thrown by whatever finds that a request cannot be done; it is turned into an answer in one place. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: number;
  /** RetCode: negative of a file request, positive of an action. */
  readonly code: number;
  /** Whether nothing more can be read from this connection. */
  readonly closes: boolean;

  constructor(status: number, code: number, message: string, closes = false) {
    super(message);
    this.status = status;
    this.code = code;
    this.closes = closes;
  }
}
