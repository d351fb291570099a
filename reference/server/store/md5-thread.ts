/**
 * The MD5 of a large body, computed in a thread of its own while the main thread computes the ETag.
 *
 * @module
 */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** Answers each piece with the number of all bytes so far, and anything else with the digest. */
const PROGRAM = `
const { parentPort } = require('node:worker_threads');
const hash = require('node:crypto').createHash('md5');
let bytes = 0;
parentPort.on('message', (piece) => {
  if (typeof piece === 'string') parentPort.postMessage(hash.digest('hex'));
  else {
    hash.update(piece);
    parentPort.postMessage((bytes += piece.length));
  }
});`;

/** In bytes. A thread takes about as long to start as the MD5 of so many. */
const LARGE = 16 * 1024 ** 2;

/** In bytes. A message for each piece takes longer. */
const MESSAGE = 1024 ** 2;

/** The most bytes that wait for a thread. */
const WAITING = 4 * 1024 ** 2;

const MOST_THREADS = Math.max(1, availableParallelism() - 1);

let threads = 0;

/**
 * A thread for a body of this announced length in bytes.
 *
 * @returns `undefined` if the body is small or of unknown length, or if all processors are busy with such threads
 */
export const startMd5Thread = (length = 0): Md5Thread | undefined =>
  length < LARGE || threads >= MOST_THREADS ? undefined : new Md5Thread();

class Md5Thread {
  readonly #worker = new Worker(PROGRAM, { eval: true });
  #pieces: Uint8Array[] = [];
  #collected = 0;
  #sent = 0;
  #hashed = 0;
  #digest: string | undefined;
  #failure: Error | undefined;

  constructor() {
    threads += 1;
    this.#worker.on('message', (said: number | string) => {
      if (typeof said === 'number') this.#hashed = said;
      else this.#digest = said;
    });
    this.#worker.on('error', (error) => {
      this.#failure = error;
    });
  }

  /** Takes a piece, which must not change afterwards. Resolves as soon as few bytes wait for the thread. */
  async update(piece: Uint8Array): Promise<void> {
    this.#pieces.push(piece);
    this.#collected += piece.length;
    if (this.#collected < MESSAGE) return;
    this.#send();
    while (this.#sent - this.#hashed > WAITING) await this.#nextMessage();
  }

  /** In hexadecimal. */
  async digest(): Promise<string> {
    this.#send();
    this.#worker.postMessage('digest');
    while (this.#digest === undefined) await this.#nextMessage();
    return this.#digest;
  }

  end(): void {
    threads -= 1;
    void this.#worker.terminate();
  }

  #send(): void {
    const bytes = new Uint8Array(this.#collected);
    let at = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    this.#sent += bytes.length;
    this.#pieces = [];
    this.#collected = 0;
    this.#worker.postMessage(bytes, [bytes.buffer]);
  }

  async #nextMessage(): Promise<void> {
    if (this.#failure) throw this.#failure;
    await once(this.#worker, 'message');
  }
}
