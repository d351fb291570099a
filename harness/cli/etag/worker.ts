/**
 * A thread that hashes blocks of large files, which it receives as descriptors, and small files, which it receives as paths.
 *
 * @module
 */
import { parentPort } from 'node:worker_threads';
import { hashBlocks, type SharedBlocks } from './blocks.ts';
import { hashPaths, type SharedPaths } from './small-files.ts';

parentPort?.on('message', (shared: SharedBlocks | SharedPaths) => {
  if ('paths' in shared) {
    parentPort?.postMessage(hashPaths(shared));
    return;
  }
  try {
    hashBlocks(shared);
  } catch {
    // The main thread sees the failure in the shared counters and reports it.
  }
});
