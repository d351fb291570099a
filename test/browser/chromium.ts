/**
 * Starts Chromium: the program that `CHROMIUM` names, or the first one found in `PATH`.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const folders = (process.env['PATH'] ?? '').split(delimiter);
const path =
  process.env['CHROMIUM'] ||
  NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);

/** Suffix for test names: why browser tests are skipped; empty if Chromium was found. */
export const withoutBrowser: string =
  path === undefined ? ' (not run, because Chromium was not found)' : '';

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: path ?? '',
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  });
}

/** In milliseconds. Only stops pages that hang, so it is long enough for a busy machine. */
const HANG_GUARD = 600_000;

/** Opens a page whose timeout is that of the tests. */
export async function openPage(browser: Browser, options?: BrowserContextOptions): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(HANG_GUARD);
  return page;
}
