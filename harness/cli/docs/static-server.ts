/**
 * Serves the files of the site over HTTP, to this machine only.
 *
 * @module
 */
import { createServer, type Server } from 'node:http';
import { mediaType } from '../../../reference/media-types.ts';
import type { SiteFiles } from '../../suite/site.ts';

const LOOPBACK = '127.0.0.1';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  /** The target of the redirect, for a folder without its last slash. */
  readonly location?: string;
}

/** Starts a server on a port, 0 for a free one; rejects if the port is in use. */
export function startStaticServer(files: SiteFiles, port: number): Promise<Server> {
  const server = createServer(({ method = '', url = '/' }, response) => {
    const isRead = method === 'GET' || method === 'HEAD';
    const { status, type, body, location } = isRead ? answerPath(files, url) : NOT_ALLOWED;
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
  return { status, type: mediaType('.html'), body: `<!doctype html><p>${text}</p>\n` };
}

function answerPath(files: SiteFiles, url: string): Answer {
  const name = fileName(url);
  const page = files.get(name);
  if (page) return { status: 200, type: mediaType(name), body: page };
  if (files.has(`${name}/index.html`))
    return { ...createTextAnswer(301, 'It moved.'), location: `/${encodeURI(name)}/` };
  const missing = files.get('404.html');
  if (missing) return { status: 404, type: mediaType('.html'), body: missing };
  return createTextAnswer(404, 'There is no such page. <a href="/">The first page</a>');
}

/** The name that a path would have; empty for a malformed one. */
function fileName(url: string): string {
  const [path = ''] = url.split(/[?#]/);
  try {
    const name = decodeURIComponent(path).slice(1);
    return name === '' || name.endsWith('/') ? `${name}index.html` : name;
  } catch {
    return '';
  }
}
