/**
 * The contents that ETag vectors describe by recipes, written into files for adapters to read.
 *
 * @module
 */

import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Recipe } from '../../reference/contents.ts';
import type { Input } from '../engine/vector.ts';
import { withFile } from './user-files.ts';

/** As many files are kept between the batches of a long run. */
const MOST_FILES = 256;

/** A temporary folder of content files. */
export class ContentFolder {
  readonly #paths = new Map<string, string>();
  readonly #env: NodeJS.ProcessEnv;
  #folder: string | undefined;

  /** @param env names the folder for temporary files */
  constructor(env: NodeJS.ProcessEnv = process.env) {
    this.#env = env;
  }

  /** The input as an adapter receives it: the path of a file replaces a recipe. */
  withFile(input: Input): Input {
    const { content } = input;
    return content && 'recipe' in content
      ? { ...input, content: { file: this.#file(content.recipe) } }
      : input;
  }

  /** Removes the files of earlier questions once there are many: a long run would fill the memory that holds them. */
  trim(): void {
    if (this.#paths.size > MOST_FILES) this.remove();
  }

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
    this.#paths.clear();
  }

  #file(recipe: Recipe): string {
    const name = JSON.stringify(recipe);
    const known = this.#paths.get(name);
    if (known !== undefined) return known;
    this.#folder ??= makeContentFolder(this.#env);
    const path = join(this.#folder, `${this.#paths.size + 1}.bin`);
    makeIn(this.#folder, () => writeContent(path, recipe));
    this.#paths.set(name, path);
    return path;
  }
}

/** Linux keeps the files of this folder in memory, and reads the holes of a file without allocating them. */
const MEMORY = '/dev/shm';

function makeContentFolder(env: NodeJS.ProcessEnv): string {
  const name = 'svc-conformance-';
  try {
    const isMemoryAllowed = process.platform === 'linux' && env['TMPDIR'] === undefined;
    if (isMemoryAllowed) return mkdtempSync(join(MEMORY, name));
  } catch {
    // Some Linux systems lack it; the folder for temporary files is only slower.
  }
  const folder = temporaryFolder(env);
  return makeIn(folder, () => mkdtempSync(join(folder, name)));
}

/** As `tmpdir`, which reads the environment of the process only. */
function temporaryFolder({ TMPDIR, TEMP }: NodeJS.ProcessEnv): string {
  return (process.platform === 'win32' ? TEMP : TMPDIR) || tmpdir();
}

/** Creates a file or folder; a failure becomes a `UsageError` about the parent folder. */
function makeIn<T>(folder: string, make: () => T): T {
  const problem = `cannot write to the folder for temporary files ${JSON.stringify(folder)}`;
  return withFile(make, problem, 'set TMPDIR to a writable folder');
}

/** Writes the file that a recipe describes. */
export function writeContent(path: string, { size, marks = [] }: Recipe): void {
  const file = openSync(path, 'w');
  try {
    // The zeros become holes, which need no disk space.
    ftruncateSync(file, size);
    for (const [offset, text] of marks) writeSync(file, text, offset);
    // A mark at the end must not make the file longer.
    ftruncateSync(file, size);
  } finally {
    closeSync(file);
  }
}
