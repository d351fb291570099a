/**
 * The contents that ETag vectors describe by a recipe, as files for the adapter to read.
 *
 * @module
 */
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import type { Input } from './vector.ts';

/** Zero bytes, with texts written over them at offsets. */
export interface Recipe {
  /** In bytes. */
  readonly size: number;
  readonly marks?: readonly (readonly [offset: number, text: string])[];
}

/** The size of the file that an input describes, in bytes; 0 where it describes none. */
export function contentSize(input: Input): number {
  const content = input['content'] as { readonly recipe?: Recipe } | undefined;
  return content?.recipe?.size ?? 0;
}

/** A folder of made files that goes away as a whole. */
export class ContentFolder {
  readonly #paths = new Map<string, string>();
  #folder: string | undefined;

  /** The input as the adapter gets it: a recipe becomes the path of a file. */
  expanded(input: Input): Input {
    const content = input['content'] as { readonly recipe?: Recipe } | undefined;
    return content?.recipe ? { ...input, content: { file: this.#file(content.recipe) } } : input;
  }

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
    this.#paths.clear();
  }

  #file(recipe: Recipe): string {
    const name = JSON.stringify(recipe);
    const made = this.#paths.get(name);
    if (made !== undefined) return made;
    this.#folder ??= madeFolder();
    const path = join(this.#folder, `${this.#paths.size + 1}.bin`);
    usable(this.#folder, () => writeContent(path, recipe));
    this.#paths.set(name, path);
    return path;
  }
}

/** Where Linux keeps files in memory: the zeros of a file with holes are read there without being made first. */
const MEMORY = '/dev/shm';

function madeFolder(): string {
  const name = 'svc-conformance-';
  try {
    const isFree = process.platform === 'linux' && process.env['TMPDIR'] === undefined;
    if (isFree) return mkdtempSync(join(MEMORY, name));
  } catch {
    // Not every Linux has it; the folder for temporary files does as well, only slower.
  }
  return usable(tmpdir(), () => mkdtempSync(join(tmpdir(), name)));
}

/** Makes something in a folder for temporary files; one that does not take it is a `UsageError`. */
function usable<T>(folder: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `the folder for temporary files ${JSON.stringify(folder)} cannot be used: ${code}; set TMPDIR to one that can be`,
    );
  }
}

/** Makes the file that a recipe describes. */
export function writeContent(path: string, { size, marks = [] }: Recipe): void {
  const file = openSync(path, 'w');
  try {
    // Zeros cost nothing: the file has holes.
    ftruncateSync(file, size);
    for (const [offset, text] of marks) writeSync(file, text, offset);
    // A mark that runs over the end must not make the file longer.
    ftruncateSync(file, size);
  } finally {
    closeSync(file);
  }
}
