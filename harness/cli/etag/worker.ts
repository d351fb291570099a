/**
 * A thread that hashes blocks of the files whose descriptors it receives, and the files whose paths it receives.
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
    // The counters tell the main thread, which reports the failure.
  }
});
