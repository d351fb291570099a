/**
 * Prints or serves a page of the site. Loaded when `docs` runs, not for its help.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { EXIT, UsageError } from '../engine/errors.ts';
import { pageText } from '../render/page-text.ts';
import { packagePath } from '../suite/package-root.ts';
import type { Call } from './call.ts';
import { findAddress } from './docs/addresses.ts';
import { startStaticServer } from './docs/static-server.ts';
import { numberOption, type Parsed } from './verb.ts';

export async function openPage(given: Parsed, call: Call): Promise<number> {
  const [id, ...others] = given.positionals;
  if (others.length > 0) throw new UsageError('write svc-conformance docs [ID]');
  const site = packagePath('dist/site');
  if (!existsSync(join(site, 'index.html')))
    throw new UsageError('the site is not built; build it with `npm run site` in a clone');
  const address = id === undefined ? '/' : findAddress(id, site);
  if (!call.isTerminal || given.values['print']) {
    const html = readFileSync(join(site, address, 'index.html'), 'utf8');
    call.print(pageText(html));
    return EXIT.asExpected;
  }
  return serveSite(site, address, numberOption(given, 'port'), call);
}

async function serveSite(site: string, address: string, port: number, call: Call): Promise<number> {
  const server = await startStaticServer(site, port).catch(({ code }: NodeJS.ErrnoException) => {
    throw new UsageError(`port ${port} cannot be used: ${code}; pass --port 0 for a free one`);
  });
  const { port: own } = server.address() as AddressInfo;
  call.print(`http://127.0.0.1:${own}${address}\n`);
  await call.waitForInterrupt();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return EXIT.asExpected;
}
