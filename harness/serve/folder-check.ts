/**
 * What `serve --check` says of a data folder.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { checkFolder } from '../../reference/server/store/check-folder.ts';
import { UsageError } from '../errors.ts';

export interface FolderReport {
  readonly isWhole: boolean;
  readonly lines: readonly string[];
}

/** Reads the folder and changes nothing in it. */
export async function folderReport(path: string): Promise<FolderReport> {
  if (!existsSync(path)) {
    throw new UsageError(`there is no folder ${path}; name the one of serve --data`);
  }
  const { faults, notes } = await checkFolder(path).catch((error) => {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  });
  const isWhole = faults.length === 0;
  const verdict = isWhole
    ? `${path} is whole`
    : `${path} is damaged, and was left as it is; serve --data serves what is left, and moves what has lost its place to lost+found`;
  return { isWhole, lines: [...faults, ...notes, verdict] };
}
