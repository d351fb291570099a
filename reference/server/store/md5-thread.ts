/**
 * The MD5 of a large body, computed in a thread of its own while the main thread computes the ETag.
 *
 * @module
 */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

export interface Md5Thread {
  /** Copies the piece. Resolves as soon as few bytes wait for the thread. */
  readonly update: (piece: Uint8Array) => Promise<void>;
  /** In hexadecimal. */
  readonly digest: () => Promise<string>;
  readonly end: () => void;
}

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
 * A thread for a body of this announced length.
 *
 * @returns `undefined` if the body is small or of unknown length, or if all processors are busy with such threads
 */
export function startMd5Thread(length = 0): Md5Thread | undefined {
  if (length < LARGE || threads >= MOST_THREADS) return undefined;
  threads += 1;
  const worker = new Worker(PROGRAM, { eval: true });
  let sent = 0;
  let hashed = 0;
  let digest: string | undefined;
  let failure: Error | undefined;
  worker.on('message', (said: number | string) => {
    if (typeof said === 'number') hashed = said;
    else digest = said;
  });
  worker.on('error', (error) => {
    failure = error;
  });
  const nextMessage = async (): Promise<void> => {
    if (failure) throw failure;
    await once(worker, 'message');
  };
  let collected: Uint8Array[] = [];
  let collectedBytes = 0;
  const send = (): void => {
    const copy = new Uint8Array(collectedBytes);
    let at = 0;
    for (const piece of collected) {
      copy.set(piece, at);
      at += piece.length;
    }
    sent += copy.length;
    collected = [];
    collectedBytes = 0;
    worker.postMessage(copy, [copy.buffer]);
  };
  return {
    async update(piece) {
      collected.push(piece);
      collectedBytes += piece.length;
      if (collectedBytes < MESSAGE) return;
      send();
      while (sent - hashed > WAITING) await nextMessage();
    },
    async digest() {
      send();
      worker.postMessage('digest');
      while (digest === undefined) await nextMessage();
      return digest;
    },
    end() {
      threads -= 1;
      void worker.terminate();
    },
  };
}
