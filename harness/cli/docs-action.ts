/**
 * Prints or serves a page of the site. Loaded when `docs` runs, not for its help.
 *
 * @module
 */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { basename } from 'node:path/posix';
import { mediaType } from '../../reference/media-types.ts';
import { OPERATIONS } from '../../reference/operations.ts';
import { listeningPort, systemCode } from '../../reference/values.ts';
import { EXIT, UsageError } from '../engine/errors.ts';
import { withoutCondition } from '../engine/expectations/names.ts';
import { STATUSES } from '../engine/judge/judge.ts';
import { findOtherCause } from '../engine/other-causes.ts';
import { findMistake, listIds } from '../engine/proof/catalogue.ts';
import { causeAddress } from '../engine/report/cause-page.ts';
import { createNoMatchError } from '../engine/select.ts';
import { LEVELS } from '../engine/vector.ts';
import { narrowToSection, pageText, referenceCode } from '../render/page-text.ts';
import { listRepositoryAdapters } from '../respondents/adapter/manifest.ts';
import { bundledSuite } from '../suite/bundle.ts';
import { isPackageFile, packagePath, readPackageFile } from '../suite/package-root.ts';
import { SITE, type SiteFiles, unpackSite } from '../suite/site.ts';
import type { Call } from './call.ts';
import { flagOption, numberOption, type Parsed } from './verb.ts';

export async function openPage(given: Parsed, call: Call): Promise<number> {
  const [id, ...others] = given.positionals;
  if (others.length > 0) throw new UsageError('write svc-conformance docs [ID]');
  const path = packagePath(SITE);
  if (!isPackageFile(path)) return showInstead(id, given, call);
  const site = unpackSite(readPackageFile(path));
  const address = id === undefined ? '/' : findAddress(id, site);
  const isOneOfMany = address.startsWith('/mistakes/') && /[#@]/.test(address + id);
  if (isOneOfMany) await showOnly(given, call);
  if (call.isTerminal && !flagOption(given, 'print'))
    return serveSite(site, address, numberOption(given, 'port'), call);
  const html = Buffer.from(site.get(pageName(address)) ?? '').toString('utf8');
  const [, anchor = ''] = address.split('#');
  if (isOneOfMany && anchor !== '') printPlace(address, html, call);
  else call.print(pageText(narrowToSection(html, anchor)));
  return EXIT.asExpected;
}

/** Prints what the page of a place adds to a change there: the correct code, and how to read the whole page. */
function printPlace(address: string, html: string, call: Call): void {
  const [, , place] = address.split('/');
  const code = referenceCode(html);
  if (code !== '') call.print(`${code}\n`);
  call.print(
    `All changes at ${place}, and the code in four languages: svc-conformance docs ${place}\n`,
  );
}

/** Prints the entry of an id like `show`. */
async function showOnly(given: Parsed, call: Call): Promise<number> {
  return (await import('./show-action.ts')).showEntries({ ...given, values: {} }, call);
}

/** Prints what `show` prints, if the site is not built. */
async function showInstead(id: string | undefined, given: Parsed, call: Call): Promise<number> {
  const hint = 'the site is not built; build it with `npm run site` in a clone';
  if (id === undefined) throw new UsageError(hint);
  const code = await showOnly(given, call);
  call.warn(`svc-conformance: ${hint} to read the page of ${id}\n`);
  return code;
}

async function serveSite(
  site: SiteFiles,
  address: string,
  port: number,
  call: Call,
): Promise<number> {
  const server = await startStaticServer(site, port).catch((error: unknown) => {
    throw new UsageError(
      `port ${port} cannot be used: ${systemCode(error)}; pass --port 0 for a free port`,
    );
  });
  call.print(`http://127.0.0.1:${listeningPort(server)}${address}\n`);
  await call.waitForInterrupt();
  // Terminals show ^C without a line break.
  call.print('\n');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return EXIT.asExpected;
}

/** Pages about a whole subject, not about a single id. */
const OVERVIEWS = ['spec', 'vectors', 'mistakes', 'results', 'playground', 'guides', 'reference'];

/** Folders with pages of ids that are not in the data: renamed ids, reasons of refusals, guides, verbs, error codes. */
const FOLDERS = [
  '/',
  '/vectors/',
  '/rules/',
  '/mistakes/',
  '/guides/',
  '/reference/',
  '/reference/cli/',
  '/reference/errors/',
];

const VERDICTS = '/guides/verdict/';

/** The words of reports, each with the section of the guide that explains it. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ...STATUSES.map((status) => [status, VERDICTS] as const),
  ...LEVELS.map((level) => [level, `${VERDICTS}#levels`] as const),
  ['wrongly refused', VERDICTS],
  ['known failure', '/guides/known-failures/'],
  ['stale', '/guides/known-failures/'],
  ['forged', `${VERDICTS}#forged-requests`],
  ['fresh', `${VERDICTS}#fresh-data`],
]);

/**
 * The address of the page of an id; a generated mistake is an anchor on the page of its place.
 *
 * @throws UsageError with the nearest id, if the id is unknown or the site has no page for it
 */
function findAddress(id: string, site: SiteFiles): string {
  const addresses = listAddresses(id);
  const [first] = addresses;
  const name = id.endsWith('.md') ? basename(id, '.md').toLowerCase() : id;
  const found = [...addresses, ...FOLDERS.map((folder) => `${folder}${name}/`)].find((address) =>
    site.has(pageName(address)),
  );
  if (found !== undefined) return found;
  if (first === undefined) {
    const names = [...Object.keys(OPERATIONS), ...listSdks(), ...OVERVIEWS];
    throw createNoMatchError('page', id, [...names, ...WORDS.keys(), ...listIds(bundledSuite())]);
  }
  throw new UsageError(`the site has no page ${first}; build it again with \`npm run site\``);
}

/** The name of the file that contains the page at an address. */
function pageName(address: string): string {
  const [path = ''] = address.split('#');
  return `${path.slice(1)}index.html`;
}

function listAddresses(id: string): readonly string[] {
  const { rules, vectors } = bundledSuite();
  const bare = withoutCondition(id);
  const cause = findMistake(bare) ?? findOtherCause(bare);
  return [
    ...(rules.some((rule) => rule.id === id) ? [`/rules/${id}/`] : []),
    ...(vectors.some((vector) => vector.id === id) ? [`/vectors/${id}/`] : []),
    ...(cause === undefined ? [] : [causeAddress(cause.id)]),
    ...(Object.hasOwn(OPERATIONS, id) ? [`/operations/${id}/`] : []),
    ...(listSdks().includes(id) ? [`/sdks/${id}/`] : []),
    ...(OVERVIEWS.includes(id) ? [`/${id}/`] : []),
    ...[WORDS.get(id) ?? []].flat(),
  ];
}

function listSdks(): readonly string[] {
  return listRepositoryAdapters()
    .filter(({ published }) => published)
    .map(({ name }) => name);
}

const LOOPBACK = '127.0.0.1';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts a server on a port, 0 for a free one; rejects if the port is in use. */
export async function startStaticServer(files: SiteFiles, port: number): Promise<Server> {
  const server = createServer(({ method = '', url = '/' }, response) => {
    const isRead = method === 'GET' || method === 'HEAD';
    const { status, type, body, headers } = isRead ? answerPath(files, url) : NOT_ALLOWED;
    response.writeHead(status, {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    });
    response.end(method === 'HEAD' ? undefined : body);
  });
  await once(server.listen(port, LOOPBACK), 'listening');
  return server;
}

const NOT_ALLOWED = createTextAnswer(405, 'Only GET and HEAD are served here.', {
  Allow: 'GET, HEAD',
});

function createTextAnswer(status: number, text: string, headers = {}): Answer {
  return { status, type: mediaType('.html'), body: `<!doctype html><p>${text}</p>\n`, headers };
}

function answerPath(files: SiteFiles, url: string): Answer {
  const name = fileName(url);
  const page = files.get(name);
  if (page) return { status: 200, type: mediaType(name), body: page };
  if (files.has(`${name}/index.html`))
    return createTextAnswer(301, 'The page has moved.', { Location: `/${encodeURI(name)}/` });
  const missing = files.get('404.html');
  if (missing) return { status: 404, type: mediaType('.html'), body: missing };
  return createTextAnswer(404, 'There is no such page. <a href="/">Go to the start page.</a>');
}

/** The name of the file for the path of a URL; empty for a malformed path. */
function fileName(url: string): string {
  const [path = ''] = url.split(/[?#]/);
  try {
    const name = decodeURIComponent(path).slice(1);
    return name === '' || name.endsWith('/') ? `${name}index.html` : name;
  } catch {
    return '';
  }
}
