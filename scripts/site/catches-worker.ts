/**
 * A worker thread that finds the mistakes that vectors catch.
 *
 * @module
 */
import { parentPort, workerData } from 'node:worker_threads';
import { findCatchers } from './catches.ts';

parentPort?.postMessage(await findCatchers(workerData));
