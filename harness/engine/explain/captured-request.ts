/**
 * Parses a captured request: raw HTTP text, the output of `curl -v`, or a URL on one line; and finds its dialect, bucket and key (§4.3).
 *
 * @module
 */
import {
  type Dialect,
  type HeaderList,
  type Pair,
  SPECIFICATION,
  urlDecode,
} from '../../../reference/signing/index.ts';
import { parseDialect } from '../dialects.ts';
import { UsageError } from '../errors.ts';
import { quote, shorten } from '../excerpt.ts';
import type { Hide } from './secrecy.ts';

export interface CapturedRequest {
  /** `undefined` if only a URL was captured. */
  readonly method: string | undefined;
  /** The target of the request line: a path, or a whole URL. */
  readonly target: string;
  readonly headers: HeaderList;
  readonly body: string;
}

const EXPECTED =
  'a request is its HTTP text, the output of curl -v, or one line with a URL (https://…)';

/** A request line; the HTTP version is optional. */
const REQUEST_LINE = /^([^\s:]+) (\S.*?)(?: HTTP\/[0-9.]+)?$/;
const WHOLE_URL = /^https?:\/\//i;
const CURL_REQUEST_LINE = /^> \S+ .+ HTTP\/[0-9.]+\s*$/;

/** Remarks of curl between request and response. */
const CURL_REMARK = /^(?:\* |[{}] \[)/;

/** The most characters of a line that a message shows. */
const LONGEST_LINE = 60;

/** Decodes UTF-8, or the UTF-16 that some shells write into files. */
export function decodeCapture(bytes: Uint8Array): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes);
}

/**
 * Parses one request.
 *
 * @param hidden hides the keys before an error message cuts the text, because a cut could leave half a key
 * @throws UsageError if the text is no request
 */
export function parseCapture(text: string, hidden: Hide['text']): CapturedRequest {
  const lines = text.replace(/^\s+/, '').split('\n');
  if (lines.every((line) => line.trim() === '')) {
    throw new UsageError(`the input is empty; ${EXPECTED}`);
  }
  if (lines.some((line) => CURL_REQUEST_LINE.test(line)))
    return parseRequest(stripCurlMarks(lines), hidden);
  const [only = '', ...more] = lines.map((line) => line.trim()).filter((line) => line !== '');
  const url = only.replace(/^(["'])(.*)\1$/, '$2');
  if (more.length === 0 && WHOLE_URL.test(url)) {
    if (/\s/.test(url)) throw new UsageError(`${quote(url)} contains whitespace; ${EXPECTED}`);
    return { method: undefined, target: url, headers: [], body: '' };
  }
  return parseRequest(lines, hidden);
}

/** Removes curl's marks from the lines of a request. curl shows no body, but the user may have added it. */
function stripCurlMarks(lines: readonly string[]): readonly string[] {
  const starts = lines.flatMap((line, i) =>
    CURL_REQUEST_LINE.test(line) && !line.startsWith('> CONNECT ') ? [i] : [],
  );
  const [start] = starts;
  if (start === undefined || starts.length > 1) {
    throw new UsageError(
      `the output of curl -v contains ${starts.length} requests; explain takes one; keep only the lines of that one`,
    );
  }
  const [own] = splitBefore(lines.slice(start), (line) => line.startsWith('<'));
  const [marked, rest] = splitBefore(own, (line) => !line.startsWith('>'));
  const head = marked.map((line) => line.replace(/^> ?/, ''));
  const body = rest.filter((line) => !CURL_REMARK.test(line));
  return [...head.filter((line, i) => i === 0 || line.trim() !== ''), '', ...body];
}

/** The lines before the first one that passes a test, and the rest. */
function splitBefore(
  lines: readonly string[],
  isEnd: (line: string) => boolean,
): readonly [before: readonly string[], rest: readonly string[]] {
  const end = lines.findIndex(isEnd);
  return end < 0 ? [lines, []] : [lines.slice(0, end), lines.slice(end)];
}

function parseRequest(lines: readonly string[], hidden: Hide['text']): CapturedRequest {
  const first = (lines[0] ?? '').replace(/\r$/, '');
  const [matched, method = '', target = ''] = REQUEST_LINE.exec(first) ?? [];
  if (first.startsWith('HTTP/') || first.startsWith('< HTTP/')) {
    throw new UsageError(
      `the input is a response, ${quote(shorten(hidden(first), LONGEST_LINE))}, not a request; ${EXPECTED}`,
    );
  }
  const isTarget = target.startsWith('/') || WHOLE_URL.test(target);
  if (matched === undefined || !isTarget) {
    throw new UsageError(
      `the text starts with ${quote(shorten(hidden(first), LONGEST_LINE))}; ${EXPECTED}`,
    );
  }
  const [head, [, ...body]] = splitBefore(lines.slice(1), (line) => /^\r?$/.test(line));
  const headers = parseHeaders(
    head.map((line) => line.replace(/\r$/, '')),
    hidden,
  );
  return { method, target, headers, body: body.join('\n') };
}

/** Parses header lines; a line that starts with a space or a tab continues the line before it. */
function parseHeaders(lines: readonly string[], hidden: Hide['text']): HeaderList {
  const headers: Pair[] = [];
  for (const line of lines) {
    const last = headers.at(-1);
    if (/^[ \t]/.test(line) && last) {
      headers[headers.length - 1] = [last[0], `${last[1]}\r\n${line}`];
      continue;
    }
    const colon = line.indexOf(':');
    if (colon < 1) {
      throw new UsageError(
        `the line ${quote(shorten(hidden(line), LONGEST_LINE))} is not a header (name, colon, value); put an empty line after the headers`,
      );
    }
    headers.push([line.slice(0, colon), line.slice(colon + 1)]);
  }
  return headers;
}

/** The user's options about the request. */
export interface Hints {
  readonly dialect?: Dialect;
  /** The host without the bucket and its dot. */
  readonly fileHost?: string;
  /** The bucket, if the host does not contain it. */
  readonly bucket?: string;
}

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
  const names = parseQuery(query)?.map(([name]) => name.toLowerCase());
  return KNOWN_DIALECTS.find(({ publicKeyParameter }) =>
    names?.includes(publicKeyParameter.toLowerCase()),
  );
}

/** The decoded parameters of a query; `undefined` if an escape is not UTF-8. */
export function parseQuery(query: string): readonly Pair[] | undefined {
  return SPECIFICATION.steps.decodedQuery(query, SPECIFICATION);
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
