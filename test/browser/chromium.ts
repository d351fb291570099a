/**
 * Chromium, where it is found: `CHROMIUM` is the path of another one.
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

/** Why nothing is run in it here, for the name of a test; empty where it is. */
export const withoutBrowser: string =
  path === undefined ? ' (not run, because Chromium was not found)' : '';

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: path ?? '',
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  });
}

/** The guard against hanging, in milliseconds: no page is judged by its time, not on the busiest machine either. */
const HANG_GUARD = 600_000;

/** A page that waits as long as the tests do. */
export async function openPage(browser: Browser, options?: BrowserContextOptions): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(HANG_GUARD);
  return page;
}
