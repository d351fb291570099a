/**
 * Contents as files that stay, beside questions that name them.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { makeFolder } from '../output.ts';
import { type Recipe, writeContent } from '../suite/content.ts';
import type { Input } from '../suite/vector.ts';

/** Makes the files in the folder as the inputs come; an input then names its file, without the folder. */
export function intoFiles(folder: string): (input: Input) => Input {
  const made = new Set<string>();
  makeFolder(resolve(folder));
  return (input) => {
    const content = input['content'] as { readonly recipe?: Recipe } | undefined;
    if (!content?.recipe) return input;
    // The same recipe has the same name in every export.
    const text = JSON.stringify(content.recipe);
    const file = `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.bin`;
    if (!made.has(file)) writeContent(join(folder, file), content.recipe);
    made.add(file);
    return { ...input, content: { file } };
  };
}
