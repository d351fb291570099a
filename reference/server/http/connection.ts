/**
 * One connection: its requests are answered one after the other, and what breaks it breaks what still waits for bytes.
 *
 * @module
 */
import type { Duplex } from 'node:stream';
import type { ServiceError } from '../service-error.ts';

export class Connection {
  readonly socket: Duplex;
  /** Aborted, with the fault as its reason, once nothing more can be understood of what comes in. */
  readonly broken: AbortController = new AbortController();
  /** Whether no further request is answered. */
  isLast = false;
  /** Whether the request that came last is there to its end; a fault after that is none of its own. */
  isBetweenRequests: () => boolean = () => true;
  #waiting = 0;
  #isPaused = false;
  #turn: Promise<void> = Promise.resolve();
  readonly #most: number;

  constructor(socket: Duplex, most: number) {
    this.socket = socket;
    this.#most = most;
  }

  /** Whether a request is being answered, or waits for that. */
  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /** Does something once everything before it is done; RFC 9112 has answers in the order of their requests. */
  inTurn(job: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    if (this.#waiting > this.#most) this.#pause();
    this.#turn = this.#turn
      .then(() => (this.socket.destroyed || this.isLast ? undefined : job()))
      .catch(() => this.cut())
      .finally(() => {
        this.#waiting -= 1;
        if (this.#waiting <= this.#most) this.#resume();
      });
    return this.#turn;
  }

  /** Node resumes a connection whenever a request on it is whole, so once is not enough. */
  readonly #hold = (): void => {
    this.socket.pause();
  };

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.socket.on('resume', this.#hold);
    this.#hold();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.socket.off('resume', this.#hold);
    this.socket.resume();
  }

  /** Nothing more is read; true the first time. */
  breakOff(reason: ServiceError): boolean {
    if (this.broken.signal.aborted) return false;
    this.broken.abort(reason);
    return true;
  }

  /** Ends it at once, whatever is still on its way. */
  cut(): void {
    this.isLast = true;
    this.socket.destroy();
  }
}
