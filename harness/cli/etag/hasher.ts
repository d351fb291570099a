/**
 * The ETag of a file (§2), computed as fast as the machine allows.
 *
 * A small file takes a few system calls. The blocks of a large file are hashed by all threads.
 *
 * @module
 */

import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { SPECIFICATION } from '../../../reference/signing/index.ts';
import { isList } from '../../../reference/values.ts';
import { IS_BINARY, packagePath, readPackageFile } from '../../suite/package-root.ts';
import {
  CHANGED,
  createCounters,
  DIGEST_LENGTH,
  FAILED,
  FINISHED,
  hashBlocks,
  type SharedBlocks,
} from './blocks.ts';
import {
  type FileEtag,
  fill,
  type HashedPaths,
  hashPaths,
  isHashedPaths,
  oneBlockEtag,
  type SharedPaths,
  SMALL,
} from './small-files.ts';

/** From this size on, starting threads pays off; in bytes. */
const LARGE = 32 * 1024 * 1024;

/** How long the main thread waits for a block of another thread before it looks for a failure; in milliseconds. */
const WAIT = 1000;

const { steps } = SPECIFICATION;

/** The bytes before the digest in the ETag of a file with one block. */
const ONE_BLOCK = steps
  .etagBytes(1, new Uint8Array(DIGEST_LENGTH), SPECIFICATION)
  .subarray(0, -DIGEST_LENGTH);

/** From this number of small files on, starting threads pays off. */
const MANY = 2000;

export class Hasher {
  readonly #piece = Buffer.allocUnsafeSlow(SMALL);
  readonly #onProgress: (bytes: number) => void;
  #started: readonly Worker[] | undefined;

  /** @param onProgress receives the number of bytes that were hashed since the last call */
  constructor(onProgress: (bytes: number) => void = () => {}) {
    this.#onProgress = onProgress;
  }

  /** @throws a system error, with a code such as `ENOENT`; or an error if it changes meanwhile */
  hashFile(path: string): FileEtag {
    const file = openSync(path, 'r');
    try {
      const filled = fill(file, this.#piece);
      if (filled > 0 && filled < this.#piece.length) {
        this.#onProgress(filled);
        return oneBlockEtag(this.#piece.subarray(0, filled), ONE_BLOCK);
      }
      const stat = fstatSync(file);
      return stat.isFile() && stat.size >= LARGE
        ? this.#hashLarge(file, stat.size)
        : this.#hashRest(file, filled);
    } finally {
      closeSync(file);
    }
  }

  /** The ETag of each small file, at the index of its path; undefined for the others, which `hashFile` can hash. */
  async hashSmallFiles(paths: readonly string[]): Promise<readonly (FileEtag | undefined)[]> {
    const shared: SharedPaths = { paths, start: ONE_BLOCK, next: createCounters(1) };
    const workers = paths.length < MANY ? [] : this.#workers();
    const replies = workers.map((worker) => askWorker(worker, shared));
    const own = hashPaths(shared);
    const etags: (FileEtag | undefined)[] = paths.map(() => undefined);
    for (const hashed of [own, ...(await Promise.all(replies))].flat()) {
      for (const [i, etag] of hashed.etags.entries()) {
        etags[hashed.first + i] = etag;
        this.#onProgress(etag?.size ?? 0);
      }
    }
    return etags;
  }

  async hashStream(stream: AsyncIterable<Uint8Array>): Promise<FileEtag> {
    const hash = steps.blockHash(steps.blockSize);
    let size = 0;
    for await (const piece of stream) {
      hash.update(piece);
      size += piece.length;
      this.#onProgress(piece.length);
    }
    return toEtag(size, hash.digests());
  }

  async close(): Promise<void> {
    await Promise.all((this.#started ?? []).map((worker) => worker.terminate()));
  }

  #workers(): readonly Worker[] {
    this.#started ??= startWorkers();
    return this.#started;
  }

  /** Hashes a file or pipe whose first piece was read. */
  #hashRest(file: number, filled: number): FileEtag {
    const hash = steps.blockHash(steps.blockSize);
    let size = 0;
    for (let count = filled; count > 0; count = readSync(file, this.#piece)) {
      hash.update(this.#piece.subarray(0, count));
      size += count;
      this.#onProgress(count);
    }
    return toEtag(size, hash.digests());
  }

  #hashLarge(file: number, size: number): FileEtag {
    const { blockSize } = steps;
    const count = Math.ceil(size / blockSize);
    const shared: SharedBlocks = {
      file,
      size,
      blockSize,
      counters: createCounters(FAILED + 1),
      digests: new Uint8Array(new SharedArrayBuffer(count * DIGEST_LENGTH)),
    };
    for (const worker of this.#workers()) worker.postMessage(shared);
    hashBlocks(shared, this.#createCounter(shared));
    waitForBlocks(shared, count);
    if (fstatSync(file).size !== size) throw new Error(CHANGED);
    const digests = Array.from({ length: count }, (_, i) =>
      shared.digests.slice(i * DIGEST_LENGTH, (i + 1) * DIGEST_LENGTH),
    );
    return toEtag(size, digests);
  }

  /** Reports the finished blocks of all threads, whenever this thread finishes one. */
  #createCounter({ counters, blockSize }: SharedBlocks): () => void {
    let reported = 0;
    return () => {
      const finished = Atomics.load(counters, FINISHED);
      this.#onProgress((finished - reported) * blockSize);
      reported = finished;
    };
  }
}

function toEtag(size: number, blocks: readonly Uint8Array[]): FileEtag {
  const bytes = steps.etagBytes(blocks.length, steps.fileDigest(blocks), SPECIFICATION);
  return { size, blockCount: blocks.length, etag: steps.etagText(bytes) };
}

/** Sends the paths to a thread, which replies when the threads have taken all of them. */
async function askWorker(worker: Worker, shared: SharedPaths): Promise<readonly HashedPaths[]> {
  worker.postMessage(shared);
  worker.ref();
  try {
    const [hashed]: readonly unknown[] = await once(worker, 'message');
    if (isList(hashed) && hashed.every(isHashedPaths)) return hashed;
    throw new Error('a thread of the hasher sent no ETags');
  } finally {
    worker.unref();
  }
}

/** Starts a thread for each processor but one. The threads do not keep the process alive. */
function startWorkers(): readonly Worker[] {
  const program = packagePath('dist/bin/etag-worker.cjs');
  return Array.from({ length: availableParallelism() - 1 }, () => {
    const worker = IS_BINARY
      ? new Worker(readPackageFile(program).toString('utf8'), { eval: true })
      : new Worker(program);
    worker.unref();
    return worker;
  });
}

/** Waits until the other threads have finished their blocks. A thread that starts late finds no block left. */
function waitForBlocks({ counters }: SharedBlocks, count: number): void {
  for (;;) {
    if (Atomics.load(counters, FAILED) !== 0) throw new Error(CHANGED);
    const finished = Atomics.load(counters, FINISHED);
    if (finished === count) return;
    Atomics.wait(counters, FINISHED, finished, WAIT);
  }
}
