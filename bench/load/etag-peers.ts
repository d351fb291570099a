/**
 * The programs that `etag` is compared with, built for a measurement.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packagePath } from '../../harness/suite/package-root.ts';

/** A command to which the path of the file is added, or why there is none. */
export type PeerCommand = readonly string[] | string;

/** A program in C with OpenSSL. */
export function buildC(folder: string): PeerCommand {
  const program = join(folder, 'etag-c');
  const source = packagePath('bench/peers/etag.c');
  return build(['cc', '-O2', '-o', program, source, '-lcrypto', '-lpthread'], program);
}

/** The published Go SDK, of the version that its adapter has. */
export function buildGo(folder: string): PeerCommand {
  const program = join(folder, 'etag-go');
  const source = packagePath('bench/peers/etag.go');
  const module = packagePath('adapters/sdk/ufile-gosdk');
  return build(['go', 'build', '-o', program, source], program, module);
}

/** The published Python SDK, as its adapter has it. */
export function findPython(): PeerCommand {
  const python = packagePath('adapters/sdk/ufile/.venv/bin/python');
  if (!existsSync(python)) return 'the SDK is not installed; run npm run setup:python-sdks';
  return [python, packagePath('bench/peers/etag.py')];
}

/** For folders of small files. */
export const STREAMS: PeerCommand = [
  process.execPath,
  fileURLToPath(new URL('../peers/stream-etags.js', import.meta.url)),
];

function build(
  [compiler = '', ...parameters]: readonly string[],
  program: string,
  cwd?: string,
): PeerCommand {
  const { error, status, stderr } = spawnSync(compiler, parameters, { encoding: 'utf8', cwd });
  if (error) return `${compiler} is not installed`;
  if (status === 0) return [program];
  return `${compiler} ended with status ${status}: ${stderr.trim().split('\n')[0]}`;
}
