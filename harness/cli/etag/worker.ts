/**
 * A thread that hashes blocks of the files whose descriptors it receives.
 *
 * @module
 */
import { parentPort } from 'node:worker_threads';
import { hashBlocks, type SharedBlocks } from './blocks.ts';

parentPort?.on('message', (shared: SharedBlocks) => {
  try {
    hashBlocks(shared);
  } catch {
    // The counters tell the main thread, which reports the failure.
  }
});
