/**
 * All connections that are open.
 *
 * @module
 */
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.ts';
import type { Limits } from './limits.ts';

export class Connections {
  /** Those in the midst of a TLS handshake, too. */
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

  /** Ends those on which nothing is answered; the others may end by themselves for a while. */
  async ended(): Promise<void> {
    for (const connection of this.#connections.values()) if (!connection.isBusy) connection.cut();
    const until = performance.now() + this.#limits.stopTime;
    while (this.#sockets.size > 0 && performance.now() < until) await sleep(10);
    for (const socket of this.#sockets) socket.destroy();
  }
}
