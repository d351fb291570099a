/**
 * Serves the files of a folder over HTTP, to this machine only.
 *
 * @module
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname, join, sep } from 'node:path';

const LOOPBACK = '127.0.0.1';

/** The content types of a site; all other files are bytes, such as the index of Pagefind. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
};

const BYTES = 'application/octet-stream';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  /** Where a folder without its last slash is. */
  readonly location?: string;
}

/** Starts a server on a port, 0 for a free one; rejects if the port is in use. */
export function startStaticServer(folder: string, port: number): Promise<Server> {
  const root = realpathSync(folder);
  const server = createServer(({ method = '', url = '/' }, response) => {
    const isRead = method === 'GET' || method === 'HEAD';
    const { status, type, body, location } = isRead ? answerPath(root, url) : NOT_ALLOWED;
    response.writeHead(status, {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
      'X-Content-Type-Options': 'nosniff',
      ...(location !== undefined && { Location: location }),
      ...(!isRead && { Allow: 'GET, HEAD' }),
    });
    response.end(method === 'HEAD' ? undefined : body);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => resolve(server));
  });
}

const NOT_ALLOWED = createTextAnswer(405, 'Only GET and HEAD are served here.');

function createTextAnswer(status: number, text: string): Answer {
  return { status, type: TYPES['.html'] ?? BYTES, body: `<!doctype html><p>${text}</p>\n` };
}

/** The answer to a request for a path; no path leads out of the folder. */
function answerPath(root: string, url: string): Answer {
  const [path = '/'] = url.split(/[?#]/);
  const file = findFile(root, path);
  if (file === undefined) return answerMissing(root);
  if (!statSync(file).isDirectory()) return answerFile(200, file);
  // Slashes at the start would name another host.
  const location = `/${path.replace(/^[/\\]+/, '')}/`;
  if (!path.endsWith('/')) return { ...createTextAnswer(301, 'It moved.'), location };
  const index = findFile(root, `${path}index.html`);
  return index === undefined ? answerMissing(root) : answerFile(200, index);
}

function answerMissing(root: string): Answer {
  const page = findFile(root, '/404.html');
  const text = 'There is no such page. <a href="/">The first page</a>';
  return page === undefined ? createTextAnswer(404, text) : answerFile(404, page);
}

function answerFile(status: number, file: string): Answer {
  return { status, type: TYPES[extname(file)] ?? BYTES, body: readFileSync(file) };
}

/** The file or folder of a path; undefined if there is none inside the root. Links that lead out count as missing. */
function findFile(root: string, path: string): string | undefined {
  try {
    const real = realpathSync(join(root, decodeURIComponent(path)));
    return real === root || real.startsWith(`${root}${sep}`) ? real : undefined;
  } catch {
    // No such file, a malformed escape, or a NUL in the name.
    return undefined;
  }
}
