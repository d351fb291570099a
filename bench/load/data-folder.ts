/**
 * What a server that has ended leaves in its data folder.
 *
 * @module
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { durableStore } from '../../reference/server/store/durable-store.ts';
import { SPECIFICATION } from '../../reference/signing/index.ts';

/** Throws where the folder is not whole, or has other contents than one for each of so many files. */
export async function checkFolder(folder: string, files: number): Promise<void> {
  // Counted first: whoever opens the store removes what lies there for nothing.
  const held = readdirSync(join(folder, 'contents')).length;
  const store = await durableStore(folder, { context: SPECIFICATION });
  const faults = await store.faults();
  await store.close();
  if (faults.length > 0) throw new Error(`the folder is not whole: ${faults.join('; ')}`);
  if (held !== files) throw new Error(`the folder has ${held} contents; there are ${files} files`);
}
