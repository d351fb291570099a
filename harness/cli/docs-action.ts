/**
 * Prints or serves a page of the site. Loaded when `docs` runs, not for its help.
 *
 * @module
 */
import type { AddressInfo } from 'node:net';
import { EXIT, UsageError } from '../engine/errors.ts';
import { pageText } from '../render/page-text.ts';
import { isPackageFile, packagePath, readPackageFile } from '../suite/package-root.ts';
import { SITE, type SiteFiles, unpackSite } from '../suite/site.ts';
import type { Call } from './call.ts';
import { findAddress, pageName } from './docs/addresses.ts';
import { startStaticServer } from './docs/static-server.ts';
import { numberOption, type Parsed } from './verb.ts';

export async function openPage(given: Parsed, call: Call): Promise<number> {
  const [id, ...others] = given.positionals;
  if (others.length > 0) throw new UsageError('write svc-conformance docs [ID]');
  const site = readSite();
  if (!site) return showInstead(id, given, call);
  const address = id === undefined ? '/' : findAddress(id, site);
  if (!call.isTerminal || given.values['print']) {
    const html = site.get(pageName(address)) ?? '';
    call.print(pageText(Buffer.from(html).toString('utf8')));
    return EXIT.asExpected;
  }
  return serveSite(site, address, numberOption(given, 'port'), call);
}

function readSite(): SiteFiles | undefined {
  const path = packagePath(SITE);
  return isPackageFile(path) ? unpackSite(readPackageFile(path)) : undefined;
}

/** What `show` prints, in a clone without the site. */
async function showInstead(id: string | undefined, given: Parsed, call: Call): Promise<number> {
  const hint = 'the site is not built; build it with `npm run site` in a clone';
  if (id === undefined) throw new UsageError(hint);
  const code = await (await import('./show-action.ts')).showEntries({ ...given, values: {} }, call);
  call.warn(`svc-conformance: ${hint} to read the page of ${id}\n`);
  return code;
}

async function serveSite(
  site: SiteFiles,
  address: string,
  port: number,
  call: Call,
): Promise<number> {
  const server = await startStaticServer(site, port).catch(({ code }: NodeJS.ErrnoException) => {
    throw new UsageError(`port ${port} cannot be used: ${code}; pass --port 0 for a free port`);
  });
  const { port: own } = server.address() as AddressInfo;
  call.print(`http://127.0.0.1:${own}${address}\n`);
  await call.waitForInterrupt();
  // Terminals show ^C in a line without an end.
  call.print('\n');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return EXIT.asExpected;
}
