/**
 * Exported questions and recorded answers, one JSON object per line (schema/offline.schema.json), and the respondent that gives these answers.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { hasMembers, parseJsonIfValid } from '../../reference/values.ts';
import { DataError } from '../engine/errors.ts';
import { quoteStart } from '../engine/excerpt.ts';
import { questionName, toControlQuestion, toQuestion } from '../engine/judge/outcome.ts';
import {
  type Dialect,
  type HelloReply,
  type Implementation,
  type Question,
  type Reply,
  toJsonLine,
} from '../engine/protocol.ts';
import type { Respondent } from '../engine/respondent.ts';
import type { Selection } from '../engine/select.ts';
import type { Input, Suite, Vector } from '../engine/vector.ts';
import { writeContent } from '../suite/content-folder.ts';
import { answer as answerSchema, answersHeader } from '../suite/schema/data-validators.js';
import { faultPath, faultText, type Validator } from '../suite/schema/fault.ts';
import type { AnswerMessage, AnswersHeader } from '../suite/schema/shapes.ts';
import { makeFolder } from '../suite/user-files.ts';
import { toReply } from './adapter/messages.ts';

export interface Answer {
  readonly id: string;
  readonly isControl: boolean;
  /** The name of the question. */
  readonly name: string;
  readonly reply: Reply;
  /** `file:line`, for messages. */
  readonly place: string;
}

export interface Answers {
  readonly header?: AnswersHeader;
  readonly answers: readonly Answer[];
}

/** How many problems are shown; the rest are counted. */
const SHOWN_PROBLEMS = 20;

/** After so many problems or answers, the rest of a file is not read. */
const MOST_PROBLEMS = 1000;
const MOST_ANSWERS = 100_000;

/**
 * Parses a file of answers.
 *
 * @param name of the file, for messages
 * @throws DataError with the problems of all lines
 */
export function parseAnswers(bytes: Uint8Array, name: string): Answers {
  const problems: string[] = [];
  let header: AnswersHeader | undefined;
  const answers: Answer[] = [];
  let number = 0;
  for (const line of splitLines(decodeText(bytes, name))) {
    number++;
    if (line.trim() === '') continue;
    const place = `${name}:${number}`;
    if (answers.length >= MOST_ANSWERS || problems.length >= MOST_PROBLEMS) {
      problems.unshift(
        `${place}: the rest of the file was not read, after ${answers.length} answers and ${problems.length} problems`,
      );
      break;
    }
    const value = parseJsonIfValid(line);
    const isFirst = answers.length === 0 && header === undefined && problems.length === 0;
    const isHeader = isFirst && hasMembers(value) && value['type'] === 'header';
    if (value === undefined) {
      problems.push(`${place}: ${quoteStart(line)} is not JSON; write one answer per line`);
    } else if (isHeader) {
      if (answersHeader(value)) header = value;
      else problems.push(`${place}: ${describeFault(answersHeader.errors)}`);
    } else if (answerSchema(value)) answers.push(toAnswer(value, place));
    else problems.push(`${place}: ${describeFault(answerSchema.errors)}`);
  }
  throwProblems(problems);
  return { ...(header && { header }), answers };
}

function throwProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw new DataError(problems.slice(0, SHOWN_PROBLEMS), problems.length);
}

/** Splits lazily, because the rest of a large file may not be read. */
function* splitLines(text: string): Generator<string> {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}

function decodeText(bytes: Uint8Array, name: string): string {
  try {
    // The decoder removes a byte order mark at the start.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DataError([
      `${name}:1: the file is not UTF-8; write one JSON object per line in UTF-8`,
    ]);
  }
}

const REPLIES: readonly unknown[] = ['result', 'refused', 'unsupported', 'error'];

function describeFault(errors: Validator['errors']): string {
  const faults = errors ?? [];
  // A line without a reply has one fault for each kind of reply. Only the `oneOf` fault is shown, because it covers all of them.
  const fault =
    faults.find(
      ({ keyword, params }) => keyword !== 'oneOf' && !REPLIES.includes(params['missingProperty']),
    ) ?? faults[0];
  if (!fault) throw new Error('the schema accepts the line');
  const isReplyDue = fault.keyword === 'oneOf' || fault.keyword === 'required';
  const problem =
    isReplyDue && faults.some(({ keyword }) => keyword === 'oneOf')
      ? `does not have exactly one of ${REPLIES.join(', ')}`
      : faultText(fault);
  return `${faultPath(fault).join('/') || 'the line'} ${problem} (schema/offline.schema.json)`;
}

function toAnswer(value: AnswerMessage, place: string): Answer {
  const { id, control: isControl = false, ...message } = value;
  return { id, isControl, name: questionName(id, isControl), reply: toReply(message), place };
}

const UNANSWERED: Reply = { kind: 'not-asked', message: 'the file has no answer to it' };

/** The implementation that is reported if the file does not name one. */
const UNNAMED: Implementation = { name: 'recorded answers', version: '', language: '' };

/** Replies to each question with its recorded answer. */
export class RecordedAnswers implements Respondent {
  readonly #hello: HelloReply;
  readonly #replies: ReadonlyMap<string, Reply>;
  #asked = 0;
  #missing = 0;

  /** @throws DataError that names answers without a question, and second answers */
  constructor({ header, answers }: Answers, vectors: readonly Vector[], suite: Suite) {
    throwProblems(findStrayAnswers(answers, vectors, suite));
    this.#hello = {
      implementation: header?.implementation ?? UNNAMED,
      operations: [...new Set(vectors.map(({ operation }) => operation))],
    };
    this.#replies = new Map(answers.map(({ name, reply }) => [name, reply]));
  }

  get stopReason(): string | undefined {
    const [asked, missing] = [this.#asked, this.#missing];
    return missing > 0 ? `${missing} of ${asked} questions have no answer` : undefined;
  }

  async hello(): Promise<HelloReply> {
    return this.#hello;
  }

  async ask(questions: readonly Question[]): Promise<readonly Reply[]> {
    const replies = questions.map(({ name = '' }) => this.#replies.get(name) ?? UNANSWERED);
    this.#asked += replies.length;
    this.#missing += replies.filter((reply) => reply === UNANSWERED).length;
    return replies;
  }

  abort(): void {}

  async close(): Promise<void> {}
}

function findStrayAnswers(
  answers: readonly Answer[],
  vectors: readonly Vector[],
  suite: Suite,
): readonly string[] {
  const asked = new Map(vectors.map((vector) => [vector.id, vector]));
  const ids = new Set(suite.vectors.map(({ id }) => id));
  const places = new Map<string, string>();
  return answers.flatMap(({ id, isControl, name, place }) => {
    const vector = asked.get(id);
    const earlier = places.get(name);
    places.set(name, earlier ?? place);
    if (!vector) return `${place}: ${explainStrayId(id, ids)}`;
    if (isControl && !vector.control) return `${place}: ${id} has no control; leave it out`;
    if (earlier === undefined) return [];
    const question = isControl ? `the control of ${id}` : id;
    return `${place}: ${question} is answered a second time, after ${earlier}; answer it once`;
  });
}

function explainStrayId(id: string, ids: ReadonlySet<string>): string {
  return ids.has(id)
    ? `${id} was not among the questions; leave it out`
    : `no vector is named ${quoteStart(id)}; answer under the id of the question`;
}

/** The version of the format; increased when readers of the previous one cannot read it. */
const FORMAT = 1;

/** The vectors to export, in the words of the dialect, and how they were selected. */
export interface Export {
  readonly suite: Suite;
  readonly vectors: readonly Vector[];
  readonly selection: Selection;
  readonly dialect: Dialect;
  /** Converts an input: the content of a file stays a recipe, or becomes the name of a file. */
  readonly input: (input: Input) => Input;
}

/** Writes one JSON object per line: a header, then a question for each vector and for each control. */
export function writeQuestions({ vectors, input, ...from }: Export): string {
  const questions = vectors.flatMap((vector) => {
    const own = toQuestion(vector);
    const control = vector.control && toControlQuestion(vector);
    return [
      { id: vector.id, ...own, input: input(own.input) },
      ...(control
        ? [{ id: vector.id, control: true, ...control, input: input(control.input) }]
        : []),
    ];
  });
  const header = { type: 'header', ...exportHead(from), questions: questions.length };
  return [header, ...questions].map((line) => `${toJsonLine(line)}\n`).join('');
}

/** Writes one JSON text with the questions and the expected answers, with each vector on a line. */
export function writeBundle({ vectors, input, ...from }: Export): string {
  const { rules } = from.suite;
  const used = new Set(vectors.flatMap((vector) => vector.rules));
  const list = (members: readonly object[]): string =>
    `[\n${members.map((member) => JSON.stringify(member)).join(',\n')}\n]`;
  const head = JSON.stringify({ type: 'bundle', ...exportHead(from) }).slice(0, -1);
  return `${head},
"rules":${list(rules.filter(({ id }) => used.has(id)).map(({ id, level, text }) => ({ id, level, text })))},
"vectors":${list(vectors.map((vector) => toBundleVector(vector, input)))}}
`;
}

function exportHead({
  suite,
  selection,
  dialect,
}: Pick<Export, 'suite' | 'selection' | 'dialect'>): object {
  const { scheme, headerPrefix, publicKeyParameter } = dialect;
  return {
    format: FORMAT,
    suite: suite.version,
    dialect: { scheme, headerPrefix, publicKeyParameter },
    selection,
  };
}

function toBundleVector(vector: Vector, input: Export['input']): object {
  const { id, level, rules, why, expect, accept, refuse, control } = vector;
  const { operation, ...own } = toQuestion(vector);
  const { keys, input: controlInput } = toControlQuestion(vector);
  return {
    id,
    operation,
    level,
    rules,
    why,
    ...own,
    input: input(own.input),
    ...(expect && { expect }),
    ...(accept && { accept }),
    ...(refuse && { refuse }),
    ...(control && { control: { keys, input: input(controlInput), expect: control.expect } }),
  };
}

/** Creates a converter for `Export.input` that writes each content into a file of the folder. The input holds the file's name only. */
export function createContentWriter(folder: string): (input: Input) => Input {
  const written = new Set<string>();
  makeFolder(resolve(folder));
  return (input) => {
    const { content } = input;
    if (!content || !('recipe' in content)) return input;
    // Named by a digest, so that a recipe has the same file name in every export.
    const text = JSON.stringify(content.recipe);
    const file = `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.bin`;
    if (!written.has(file)) writeContent(join(folder, file), content.recipe);
    written.add(file);
    return { ...input, content: { file } };
  };
}
