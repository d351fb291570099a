/**
 * Checks the data folder of a server that has stopped.
 *
 * @module
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDurableStore } from '../../reference/server/store/durable-store.ts';
import { SPECIFICATION } from '../../reference/signing/index.ts';

/** @throws Error if the folder is damaged, or its number of contents differs from the number of files */
export async function checkFolder(folder: string, files: number): Promise<void> {
  // Counted first: opening the store removes contents without a file.
  const held = readdirSync(join(folder, 'contents')).length;
  const store = await openDurableStore(folder, { context: SPECIFICATION });
  const faults = await store.faults();
  await store.close();
  if (faults.length > 0) throw new Error(`the folder is damaged: ${faults.join('; ')}`);
  if (held !== files) throw new Error(`the folder has ${held} contents; there are ${files} files`);
}
