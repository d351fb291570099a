/**
 * A request as somebody captured it: raw HTTP text, the output of `curl -v`, or a URL on one line.
 *
 * @module
 */
import type { HeaderList, Pair } from '../../reference/signing/index.ts';
import { UsageError } from '../errors.ts';
import { visible } from '../report/excerpt.ts';

export interface CapturedRequest {
  /** Nothing where only a URL was captured, which says no verb. */
  readonly method: string | undefined;
  /** As the request line has it: a path, or a whole URL. */
  readonly target: string;
  readonly headers: HeaderList;
  readonly body: string;
}

const EXPECTED =
  'a request is its HTTP text, the output of curl -v, or one line with a URL (https://…)';

/** As it is sent; a verb and a URL alone will do. */
const REQUEST_LINE = /^([^\s:]+) (\S.*?)(?: HTTP\/[0-9.]+)?$/;
const WHOLE_URL = /^https?:\/\//i;
const CURL_REQUEST_LINE = /^> \S+ .+ HTTP\/[0-9.]+\s*$/;

/** What curl says of itself between request and answer. */
const CURL_REMARK = /^(?:\* |[{}] \[)/;

/** The text of bytes: UTF-8, or the UTF-16 that some shells write into files. */
export function capturedText(bytes: Uint8Array): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes);
}

/** Takes out of a text what must not be shown. */
type Hidden = (text: string) => string;

/**
 * Reads one request.
 *
 * @param hidden is asked before a text is quoted, for a cut might leave half of a key
 * @throws UsageError where the text is none, with what it was read as
 */
export function capturedRequest(text: string, hidden: Hidden): CapturedRequest {
  const lines = text.replace(/^\s+/, '').split('\n');
  if (lines.every((line) => line.trim() === '')) {
    throw new UsageError(`nothing was read; ${EXPECTED}`);
  }
  if (lines.some((line) => CURL_REQUEST_LINE.test(line)))
    return requestOf(curlLines(lines), hidden);
  const [only = '', ...more] = lines.map((line) => line.trim()).filter((line) => line !== '');
  const url = only.replace(/^(["'])(.*)\1$/, '$2');
  if (more.length === 0 && WHOLE_URL.test(url)) {
    if (/\s/.test(url)) throw new UsageError(`${visible(url)} has a blank in it; ${EXPECTED}`);
    return { method: undefined, target: url, headers: [], body: '' };
  }
  return requestOf(lines, hidden);
}

/** The request as it would be without curl's marks; curl shows no body, but one may stand there. */
function curlLines(lines: readonly string[]): readonly string[] {
  const starts = lines.flatMap((line, i) =>
    CURL_REQUEST_LINE.test(line) && !line.startsWith('> CONNECT ') ? [i] : [],
  );
  const [start] = starts;
  if (start === undefined || starts.length > 1) {
    throw new UsageError(
      `${starts.length} requests were read in the output of curl -v; one is explained at a time; leave only its lines`,
    );
  }
  const following = lines.slice(start);
  const answer = following.findIndex((line) => line.startsWith('<'));
  const own = answer < 0 ? following : following.slice(0, answer);
  const isHead = (line: string): boolean => line.startsWith('>');
  const length = own.findIndex((line) => !isHead(line));
  const head = (length < 0 ? own : own.slice(0, length)).map((line) => line.replace(/^> ?/, ''));
  const body = length < 0 ? [] : own.slice(length).filter((line) => !CURL_REMARK.test(line));
  return [...head.filter((line, i) => i === 0 || line.trim() !== ''), '', ...body];
}

function requestOf(lines: readonly string[], hidden: Hidden): CapturedRequest {
  const first = (lines[0] ?? '').replace(/\r$/, '');
  const [matched, method = '', target = ''] = REQUEST_LINE.exec(first) ?? [];
  if (first.startsWith('HTTP/') || first.startsWith('< HTTP/')) {
    throw new UsageError(
      `an answer was read, ${visible(cut(hidden(first)))}, not a request; ${EXPECTED}`,
    );
  }
  const isTarget = target.startsWith('/') || WHOLE_URL.test(target);
  if (matched === undefined || !isTarget) {
    throw new UsageError(`the text starts with ${visible(cut(hidden(first)))}; ${EXPECTED}`);
  }
  const end = lines.findIndex((line) => line.replace(/\r$/, '') === '');
  const head = end < 0 ? lines.slice(1) : lines.slice(1, end);
  return {
    method,
    target,
    headers: headerList(
      head.map((line) => line.replace(/\r$/, '')),
      hidden,
    ),
    body: end < 0 ? '' : lines.slice(end + 1).join('\n'),
  };
}

/** Header lines as they are; a line that starts with a blank goes on with the one before it. */
function headerList(lines: readonly string[], hidden: Hidden): HeaderList {
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
        `the line ${visible(cut(hidden(line)))} is no header, which is a name, a colon and a value; an empty line ends the headers`,
      );
    }
    headers.push([line.slice(0, colon), line.slice(colon + 1)]);
  }
  return headers;
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
