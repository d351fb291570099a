/**
 * Runs before each file with properties: fast-check draws the same values every time.
 *
 * @module
 */
import fc from 'fast-check';
import { SEED } from './seed.ts';

fc.configureGlobal({ seed: SEED });
