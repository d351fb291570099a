/**
 * Finds what vectors catch, in a thread of its own.
 *
 * @module
 */
import { parentPort, workerData } from 'node:worker_threads';
import { findCatchers } from './catches.ts';

parentPort?.postMessage(await findCatchers(workerData));
