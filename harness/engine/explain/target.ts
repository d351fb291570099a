/**
 * The target of a captured request: its dialect, bucket and key (§4.3).
 *
 * @module
 */
import {
  type Dialect,
  type HeaderList,
  SPECIFICATION,
  urlDecode,
} from '../../../reference/signing/index.ts';
import { parseDialect } from '../dialects.ts';
import { UsageError } from '../errors.ts';
import { quote } from '../excerpt.ts';
import type { CapturedRequest } from './captured-request.ts';

/** The user's options about the request. */
export interface Hints {
  readonly dialect?: Dialect;
  /** The host without the bucket and its dot. */
  readonly fileHost?: string;
  /** The bucket, if the host does not contain it. */
  readonly bucket?: string;
}

/** A captured request with its parsed target. */
export interface Target extends CapturedRequest {
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

export const KNOWN_DIALECTS: readonly Dialect[] = [parseDialect('svc'), parseDialect('ucloud')];

const URL_PARTS = /^(?:https?:\/\/([^/?#]*))?(\/[^?#]*)?(?:\?([^#]*))?/i;

/** The unfolded and trimmed value of the first header with this name. */
export function findHeaderValue(headers: HeaderList, name: string): string | undefined {
  const found = headers.find(([n]) => n.trim().toLowerCase() === name.toLowerCase());
  return found && SPECIFICATION.steps.trimValue(SPECIFICATION.steps.unfold(found[1]));
}

/** Parses the target. A whole URL in the request line takes precedence over the header Host. */
export function parseTarget(captured: CapturedRequest): Target {
  const [, authority, path = '/', query = ''] = URL_PARTS.exec(captured.target) ?? [];
  const host = authority ?? findHeaderValue(captured.headers, 'Host') ?? '';
  return { ...captured, host, path, query };
}

/** The scheme, up to the space or a character that may follow it by mistake. */
const SCHEME_WORD = /^[^\s:=,;]*/;

/** The known dialect whose scheme is the first word of an Authorization value. */
export function findDialectByScheme(value: string): Dialect | undefined {
  const word = SCHEME_WORD.exec(value)?.[0].toLowerCase();
  return KNOWN_DIALECTS.find(({ scheme }) => scheme.toLowerCase() === word);
}

/** Whether an Authorization value has a scheme that no dialect has, such as `Bearer`. */
export function isForeignScheme(value: string, { dialect }: Hints): boolean {
  return !dialect && value.includes(' ') && findDialectByScheme(value) === undefined;
}

/** Detects the dialect of an Authorization value: by its scheme, else by the other words of the request. */
export function detectDialect(value: string, request: Target, hints: Hints): Dialect {
  if (hints.dialect) return hints.dialect;
  const known = findDialectByScheme(value);
  if (known) return known;
  if (isForeignScheme(value, hints)) {
    throw new UsageError(
      `Authorization starts with ${quote(SCHEME_WORD.exec(value)?.[0] ?? '')}, which is no known scheme: Svc (svc), UCloud (ucloud); for your own dialect, pass --dialect SCHEME,HEADER-PREFIX,PUBLIC-KEY-PARAMETER`,
    );
  }
  // Without a scheme, the other two words decide; last comes a scheme without a space before the public key.
  return (
    findDialectByHeaders(request) ??
    findDialectByQuery(request.query) ??
    KNOWN_DIALECTS.find(({ scheme }) => value.startsWith(scheme)) ??
    parseDialect('svc')
  );
}

function findDialectByHeaders({ headers }: Target): Dialect | undefined {
  return KNOWN_DIALECTS.find(({ headerPrefix }) =>
    headers.some(([name]) => name.trim().toLowerCase().startsWith(headerPrefix.toLowerCase())),
  );
}

/** The known dialect whose public-key parameter is in a query; ignores case. */
export function findDialectByQuery(query: string): Dialect | undefined {
  const names = SPECIFICATION.steps
    .decodedQuery(query, SPECIFICATION)
    ?.map(([name]) => name.toLowerCase());
  return KNOWN_DIALECTS.find(({ publicKeyParameter }) =>
    names?.includes(publicKeyParameter.toLowerCase()),
  );
}

/** The known dialect of an Authorization value, or else of the query, if `--dialect` names another one. */
export function detectOtherDialect(
  request: Target,
  value: string,
  { dialect }: Hints,
): { readonly otherDialect?: Dialect } {
  if (!dialect) return {};
  const shown = value === '' ? findDialectByQuery(request.query) : findDialectByScheme(value);
  const word = value === '' ? 'publicKeyParameter' : 'scheme';
  return shown && shown[word] !== dialect[word] ? { otherDialect: shown } : {};
}

/** The bucket and its origin. */
export function findBucket(
  { host }: Target,
  { bucket, fileHost }: Hints,
): readonly [string, string] {
  if (bucket !== undefined) return [bucket, '--bucket'];
  const name = host.replace(/:[0-9]*$/, '');
  const isAddress = /^[0-9.]+$/.test(name) || name.startsWith('[') || !name.includes('.');
  if (fileHost === undefined && isAddress) {
    throw new UsageError(
      `the host ${quote(host)} names no bucket; §4.3 has it as <bucket>.<file host>; pass --bucket NAME`,
    );
  }
  const found = SPECIFICATION.steps.bucketOfHost(
    fileHost?.includes(':') ? host : name,
    fileHost ?? name.slice(name.indexOf('.') + 1),
  );
  if (found !== undefined) return [found, `host ${host}`];
  throw new UsageError(
    `the host ${quote(host)} is not a bucket and ".${fileHost ?? ''}" (§4.3); pass --bucket NAME, or another --file-host`,
  );
}

/** The key in the path, and its origin. */
export function findKey({ path }: Target): readonly [string, string] {
  const key = urlDecode(path.slice(1));
  if (key !== undefined) return [key, key === path.slice(1) ? 'path' : `path ${path}, decoded`];
  throw new UsageError(
    `the path ${quote(path)} has an escape that is not UTF-8; §4.3 has "/" and the percent-encoded key`,
  );
}
