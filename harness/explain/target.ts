/**
 * Where a captured request goes: its dialect, bucket and key (§4.3).
 *
 * @module
 */
import {
  type Dialect,
  type HeaderList,
  SPECIFICATION,
  urlDecode,
} from '../../reference/signing/index.ts';
import { dialectNamed } from '../dialects.ts';
import { UsageError } from '../errors.ts';
import { visible } from '../report/excerpt.ts';
import type { CapturedRequest } from './captured-request.ts';

/** What the command line says of the request. */
export interface Hints {
  readonly dialect?: Dialect;
  /** What follows the bucket and its dot in the host. */
  readonly fileHost?: string;
  /** Where the host does not name it. */
  readonly bucket?: string;
}

/** A captured request, its target taken apart. */
export interface Target extends CapturedRequest {
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

export const KNOWN: readonly Dialect[] = [dialectNamed('svc'), dialectNamed('ucloud')];

const URL_PARTS = /^(?:https?:\/\/([^/?#]*))?(\/[^?#]*)?(?:\?([^#]*))?/i;

/** The value of the first header of this name, as it is read. */
export function headerValue(headers: HeaderList, name: string): string | undefined {
  const found = headers.find(([n]) => n.trim().toLowerCase() === name.toLowerCase());
  return found && SPECIFICATION.steps.trimValue(SPECIFICATION.steps.unfold(found[1]));
}

/** Takes the target apart; a whole URL in the request line counts before the header Host. */
export function targetOf(captured: CapturedRequest): Target {
  const [, authority, path = '/', query = ''] = URL_PARTS.exec(captured.target) ?? [];
  const host = authority ?? headerValue(captured.headers, 'Host') ?? '';
  return { ...captured, host, path, query };
}

/** The word of a scheme, up to what may follow it by mistake. */
const SCHEME_WORD = /^[^\s:=,;]*/;

/** The known dialect whose scheme an Authorization value starts with; letters of a public key are no scheme. */
export function dialectOfScheme(value: string): Dialect | undefined {
  const word = SCHEME_WORD.exec(value)?.[0].toLowerCase();
  return KNOWN.find(({ scheme }) => scheme.toLowerCase() === word);
}

/** Whether an Authorization value has a scheme that no dialect has, such as `Bearer`. */
export function isForeignScheme(value: string, { dialect }: Hints): boolean {
  return !dialect && value.includes(' ') && dialectOfScheme(value) === undefined;
}

/** The dialect of a request that is signed in an Authorization value: by its scheme, else by its other words. */
export function dialectOfValue(value: string, request: Target, hints: Hints): Dialect {
  if (hints.dialect) return hints.dialect;
  const known = dialectOfScheme(value);
  if (known) return known;
  if (isForeignScheme(value, hints)) {
    throw new UsageError(
      `Authorization starts with ${visible(SCHEME_WORD.exec(value)?.[0] ?? '')}, the scheme of no dialect that is known here: Svc (svc), UCloud (ucloud); if it is yours, give --dialect SCHEME,HEADER-PREFIX,PUBLIC-KEY-PARAMETER`,
    );
  }
  // Without a scheme, the other two words tell; last of all a scheme that is written together with the public key.
  return (
    dialectOfHeaders(request) ??
    dialectOfQuery(request.query) ??
    KNOWN.find(({ scheme }) => value.startsWith(scheme)) ??
    dialectNamed('svc')
  );
}

function dialectOfHeaders({ headers }: Target): Dialect | undefined {
  return KNOWN.find(({ headerPrefix }) =>
    headers.some(([name]) => name.trim().toLowerCase().startsWith(headerPrefix.toLowerCase())),
  );
}

/** The known dialect whose public-key parameter a query has, in any case. */
export function dialectOfQuery(query: string): Dialect | undefined {
  const names = SPECIFICATION.steps
    .decodedQuery(query, SPECIFICATION)
    ?.map(([name]) => name.toLowerCase());
  return KNOWN.find(({ publicKeyParameter }) => names?.includes(publicKeyParameter.toLowerCase()));
}

/** The known dialect that an Authorization value, or else the query, is written in, where `--dialect` names another. */
export function otherDialectOf(
  request: Target,
  value: string,
  { dialect }: Hints,
): Dialect | undefined {
  if (!dialect) return undefined;
  const shown = value === '' ? dialectOfQuery(request.query) : dialectOfScheme(value);
  const word = value === '' ? 'publicKeyParameter' : 'scheme';
  return shown && shown[word] !== dialect[word] ? shown : undefined;
}

/** The bucket and where it stands. */
export function bucketOf({ host }: Target, { bucket, fileHost }: Hints): readonly [string, string] {
  if (bucket !== undefined) return [bucket, '--bucket'];
  const name = host.replace(/:[0-9]*$/, '');
  const isAddress = /^[0-9.]+$/.test(name) || name.startsWith('[') || !name.includes('.');
  if (fileHost === undefined && isAddress) {
    throw new UsageError(
      `the host ${visible(host)} names no bucket; §4.3 has it as <bucket>.<file host>; give --bucket NAME`,
    );
  }
  const found = SPECIFICATION.steps.bucketOfHost(
    fileHost?.includes(':') ? host : name,
    fileHost ?? name.slice(name.indexOf('.') + 1),
  );
  if (found !== undefined) return [found, `host ${host}`];
  throw new UsageError(
    `the host ${visible(host)} is not a bucket and ".${fileHost ?? ''}" (§4.3); give --bucket NAME, or another --file-host`,
  );
}

/** The key that the path names, and where it stands. */
export function keyOf({ path }: Target): readonly [string, string] {
  const key = urlDecode(path.slice(1));
  if (key !== undefined) return [key, key === path.slice(1) ? 'path' : `path ${path}, decoded`];
  throw new UsageError(
    `the path ${visible(path)} has an escape that is not UTF-8; §4.3 has "/" and the percent-encoded key`,
  );
}
