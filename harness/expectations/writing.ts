/**
 * Entries added to a file of expectations; everything that stands there stays, comments too.
 *
 * @module
 */
import { existsSync, writeFileSync } from 'node:fs';
import { isSeq, parseDocument } from 'yaml';
import { UsageError } from '../errors.ts';
import { LARGEST, textOfFile } from '../input.ts';
import type { Entry } from './file.ts';

const NEW_FILE = `# The failures that are known of this adapter. An entry that nothing meets any more fails the run.
expectations: []
`;

/** Starts the file where there is none. */
export function addEntries(path: string, entries: readonly Entry[]): void {
  const document = parseDocument(existsSync(path) ? textOfFile(path, LARGEST.yaml) : NEW_FILE);
  const list = document.get('expectations');
  if (!isSeq(list)) throw new Error(`${path} has no list of expectations`);
  list.flow = false;
  for (const entry of entries) list.add(document.createNode(entry));
  try {
    // A text that is broken into lines is harder to remove.
    writeFileSync(path, document.toString({ lineWidth: 0 }));
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `the expectations ${JSON.stringify(path)} cannot be written: ${code}; name a file that can be`,
    );
  }
}
