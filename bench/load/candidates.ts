/**
 * The servers that are compared.
 *
 * @module
 */
import { fileURLToPath } from 'node:url';
import type { Load } from './load.ts';
import { type Serving, serving, servingProgram } from './serving.ts';

export const BUCKET = 'load';

export interface Candidate extends Pick<Load, 'sum'> {
  readonly name: string;
  /** The folder is for its data, if it has any on disk. */
  readonly start: (folder: string) => Promise<Serving>;
  readonly hasData: boolean;
}

const BARE_SERVER = fileURLToPath(new URL('bare-server.js', import.meta.url));

export const BARE: Candidate = {
  name: 'bare node:http',
  sum: 'sha1',
  hasData: false,
  start: () => servingProgram([BARE_SERVER]),
};

/** Appends to one file, and syncs it in groups. */
export const BARE_WITH_DATA: Candidate = {
  name: 'bare node:http with fdatasync',
  sum: 'sha1',
  hasData: false,
  start: (folder) => servingProgram([BARE_SERVER, folder]),
};

export const IN_MEMORY: Candidate = {
  name: 'serve',
  sum: 'etag',
  hasData: false,
  start: () => serving(['--bucket', BUCKET]),
};

export const WITH_DATA: Candidate = {
  name: 'serve --data',
  sum: 'etag',
  hasData: true,
  start: (folder) => serving(['--bucket', BUCKET, '--data', folder]),
};

export const CANDIDATES: readonly Candidate[] = [BARE, IN_MEMORY, WITH_DATA];
