/**
 * The report of `serve --check` on a data folder.
 *
 * @module
 */

import { existsSync } from 'node:fs';
import { checkFolder } from '../../../reference/server/store/check-folder.ts';
import { errorMessage } from '../../../reference/values.ts';
import { UsageError } from '../../engine/errors.ts';

/** Checks the folder without changing anything in it. */
export async function checkDataFolder(
  path: string,
): Promise<{ readonly isWhole: boolean; readonly lines: readonly string[] }> {
  if (!existsSync(path)) {
    throw new UsageError(`there is no folder ${path}; name a folder that serve --data has written`);
  }
  const { faults, notes } = await checkFolder(path).catch((error: unknown) => {
    throw new UsageError(errorMessage(error));
  });
  const isWhole = faults.length === 0;
  const verdict = isWhole
    ? `${path} is undamaged`
    : `${path} is damaged, and was not changed; serve --data serves the undamaged files and moves files that it cannot assign to lost+found`;
  return { isWhole, lines: [...faults, ...notes, verdict] };
}
