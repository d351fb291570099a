/**
 * The open connections.
 *
 * @module
 */
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { httpError, type ServiceError } from '../messages/errors.ts';
import type { Limits } from './limits.ts';

export class Connection {
  readonly socket: Duplex;
  /** Aborted when the rest of the connection cannot be parsed; the reason is the error. */
  readonly broken: AbortController = new AbortController();
  /** Whether further requests are ignored. */
  isClosing = false;
  /** Once the last request is complete, a parser error belongs to the next one. */
  lastRequest: { readonly complete: boolean } = { complete: true };
  #waiting = 0;
  #isPaused = false;
  #queue: Promise<void> = Promise.resolve();
  readonly #most: number;

  constructor(socket: Duplex, most: number) {
    this.socket = socket;
    this.#most = most;
    // Node reports a closed connection to a request only until the request is answered.
    socket.once('close', () => this.broken.abort(httpError(400, 'the connection is closed')));
  }

  /** Whether a request is being answered or is waiting. */
  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /** Runs jobs one after the other, because RFC 9112 requires answers in the order of the requests. */
  enqueue(job: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    this.#pauseOrResume();
    this.#queue = this.#runAfter(this.#queue, job);
    return this.#queue;
  }

  async #runAfter(before: Promise<void>, job: () => Promise<void>): Promise<void> {
    await before;
    try {
      if (!this.socket.destroyed && !this.isClosing) await job();
    } catch {
      this.destroy();
    }
    this.#waiting -= 1;
    this.#pauseOrResume();
  }

  /** Node resumes a connection after each complete request, so it is paused again each time. */
  readonly #hold = (): void => {
    this.socket.pause();
  };

  #pauseOrResume(): void {
    const isPaused = this.#waiting > this.#most;
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) {
      this.socket.on('resume', this.#hold);
      this.#hold();
    } else {
      this.socket.off('resume', this.#hold);
      this.socket.resume();
    }
  }

  /** Stops parsing. Returns false if it was already stopped. */
  breakOff(reason: ServiceError): boolean {
    if (this.broken.signal.aborted) return false;
    this.broken.abort(reason);
    return true;
  }

  destroy(): void {
    this.isClosing = true;
    this.socket.destroy();
  }
}

export class Connections {
  /** All open connections, including those during a TLS handshake. */
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Map<Duplex, Connection>();
  readonly #limits: Limits;

  constructor(server: Server, limits: Limits) {
    this.#limits = limits;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  get areTooMany(): boolean {
    return this.#sockets.size > this.#limits.connections;
  }

  of(socket: Duplex): Connection {
    const known = this.#connections.get(socket);
    if (known) return known;
    const connection = new Connection(socket, this.#limits.pipelined);
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#connections.delete(socket));
    return connection;
  }

  /** Forgets a connection that carries something else from now on: TLS, or a tunnel. */
  release(socket: Duplex): void {
    this.#connections.delete(socket);
  }

  /** Destroys idle connections at once, and the others once `stopTime` has passed. */
  async close(): Promise<void> {
    for (const connection of this.#connections.values())
      if (!connection.isBusy) connection.destroy();
    const until = performance.now() + this.#limits.stopTime;
    while (this.#sockets.size > 0 && performance.now() < until) await sleep(10);
    for (const socket of this.#sockets) socket.destroy();
  }
}
