/**
 * Chromium, where it is found: `CHROMIUM` is the path of another one.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const folders = (process.env['PATH'] ?? '').split(delimiter);
const path =
  process.env['CHROMIUM'] ||
  NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);

/** Why nothing is run in it here, for the name of a test; empty where it is. */
export const withoutBrowser: string =
  path === undefined ? ' (not run, because Chromium was not found)' : '';

export function launched(): Promise<Browser> {
  return chromium.launch({
    executablePath: path ?? '',
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  });
}
