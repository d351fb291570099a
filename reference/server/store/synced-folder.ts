/**
 * Names in a folder that survive a loss of power.
 *
 * @module
 */
import { open } from 'node:fs/promises';

/** Writes the names in a folder to disk. Windows opens no folders and writes them by itself. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
