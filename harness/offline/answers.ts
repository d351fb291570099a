/**
 * Answers that somebody wrote down, one JSON object per line (schema/offline.schema.json).
 *
 * @module
 */
import {
  type Dialect,
  excerpt,
  type Implementation,
  type Reply,
  type ReplyMessage,
  replyIn,
} from '../adapter/messages.ts';
import { DataError } from '../errors.ts';
import { answer as answerSchema, answersHeader } from '../schema/data-validators.js';
import { faultPath, faultsOf, faultText, type Validator } from '../schema/fault.ts';
import type { Selection } from '../suite/select.ts';

/** The first line of an export, where the answers repeat it. */
export interface Header {
  readonly format: number;
  readonly suite: string;
  readonly dialect: Dialect;
  readonly selection: Selection;
  /** Who answered. */
  readonly implementation?: Implementation;
}

export interface Answer {
  readonly id: string;
  readonly isControl: boolean;
  readonly reply: Reply;
  /** Where it stands: `file:line`. */
  readonly place: string;
}

export interface Answers {
  readonly header?: Header;
  readonly answers: readonly Answer[];
}

/** More problems than this are counted. */
const SHOWN_PROBLEMS = 20;

/** After so many problems, or answers, the rest of a file is not read. */
const MOST_PROBLEMS = 1000;
const MOST_ANSWERS = 100_000;

/** Throws a `DataError` where there is a problem. */
export function refuseProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw new DataError(problems.slice(0, SHOWN_PROBLEMS), problems.length);
}

/**
 * Reads a whole file of answers; a `DataError` says what is wrong with its lines.
 *
 * @param name of the file, for messages
 */
export function answersIn(bytes: Uint8Array, name: string): Answers {
  const lines = linesOf(textOf(bytes, name));
  const problems: string[] = [];
  let header: Header | undefined;
  const answers: Answer[] = [];
  let number = 0;
  for (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    const place = `${name}:${number}`;
    if (answers.length >= MOST_ANSWERS || problems.length >= MOST_PROBLEMS) {
      const what = `the file is not read further than here, after ${answers.length} answers and ${problems.length} problems`;
      problems.unshift(`${place}: ${what}`);
      break;
    }
    const value = taken(line);
    const isFirst = answers.length === 0 && header === undefined && problems.length === 0;
    const isHeader = isFirst && (value as { type?: unknown } | null)?.type === 'header';
    const fault =
      value === undefined ? notJson(line) : faultIn(isHeader ? answersHeader : answerSchema, value);
    if (fault !== undefined) problems.push(`${place}: ${fault}`);
    else if (isHeader) header = value as Header;
    else answers.push(answerFrom(value, place));
  }
  refuseProblems(problems);
  return { ...(header && { header }), answers };
}

function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}

function textOf(bytes: Uint8Array, name: string): string {
  try {
    // A byte order mark at the start is dropped.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DataError([
      `${name}:1: the file is not UTF-8; write one JSON object per line in UTF-8`,
    ]);
  }
}

function taken(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function notJson(line: string): string {
  return `${excerpt(line)} is not JSON; write one answer per line`;
}

const REPLIES: readonly unknown[] = ['result', 'refused', 'unsupported', 'error'];

/** What is wrong with a line, the place first. */
function faultIn(schema: Validator, value: unknown): string | undefined {
  const faults = faultsOf(schema, value);
  // That each of the replies is missing is said by the fault that one of them is due.
  const fault =
    faults.find(
      ({ keyword, params }) => keyword !== 'oneOf' && !REPLIES.includes(params['missingProperty']),
    ) ?? faults[0];
  if (!fault) return undefined;
  const isReplyDue = fault.keyword === 'oneOf' || fault.keyword === 'required';
  const what =
    isReplyDue && faults.some(({ keyword }) => keyword === 'oneOf')
      ? `has not exactly one of ${REPLIES.join(', ')}`
      : faultText(fault);
  return `${faultPath(fault).join('/') || 'the line'} ${what} (schema/offline.schema.json)`;
}

function answerFrom(value: unknown, place: string): Answer {
  const { id, control, ...message } = value as ReplyMessage & {
    readonly id: string;
    readonly control?: boolean;
  };
  return { id, isControl: control === true, reply: replyIn(message), place };
}
