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

/** The dialect whose word stands at the start of an Authorization value. */
export function dialectOfValue(value: string, { dialect }: Hints): Dialect {
  if (dialect) return dialect;
  const lower = value.toLowerCase();
  const known = KNOWN.find(({ scheme }) => lower.includes(scheme.toLowerCase()));
  if (known) return known;
  const [word = '', ...more] = value.split(' ');
  // Without a word before the public key, it is a mistake and no dialect.
  if (more.length === 0) return dialectNamed('svc');
  throw new UsageError(
    `Authorization starts with ${visible(word)}, the scheme of no dialect that is known here: Svc (svc), UCloud (ucloud); if it is yours, give --dialect SCHEME,HEADER-PREFIX,PUBLIC-KEY-PARAMETER`,
  );
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
