/**
 * What stands in a request line: a path, or a whole URL, as a client sends it to a proxy.
 *
 * @module
 */
import { quoted } from '../quoted.ts';
import { fault } from './fault.ts';

const WHOLE_URL = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)/is;

/** The host of a whole URL, in lower case and with its port; nothing of a path. */
export function hostOfTarget(target: string): string | undefined {
  return WHOLE_URL.exec(target)?.[2]?.toLowerCase();
}

/** Path and query as they are sent: no escape is decoded, no `..` resolved. */
export function pathAndQueryOf(target: string): { readonly path: string; readonly query: string } {
  const local = pathOf(target);
  const mark = local.indexOf('?');
  const [path, query] = mark < 0 ? [local, ''] : [local.slice(0, mark), local.slice(mark + 1)];
  return { path: path === '' ? '/' : path, query };
}

function pathOf(target: string): string {
  // `OPTIONS *` is about the server as a whole.
  if (target === '*') return '/';
  if (target.startsWith('/')) return target;
  const [, scheme, host = '', path = ''] = WHOLE_URL.exec(target) ?? [];
  if (scheme === undefined) {
    throw fault(400, `the target ${quoted(target)} is neither a path nor a URL; begin it with /`);
  }
  if (scheme.toLowerCase() !== 'http') {
    throw fault(400, `a URL in a request line has the scheme http here, not ${quoted(scheme)}`);
  }
  if (host === '' || host.includes('@')) {
    throw fault(400, `the URL in the request line has ${host === '' ? 'no host' : 'a user name'}`);
  }
  return path;
}
