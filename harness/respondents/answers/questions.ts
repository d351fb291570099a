/**
 * The export of vectors, for answering them without the harness (schema/offline.schema.json).
 *
 * The same vectors always give the same text: it holds no time and no paths.
 *
 * @module
 */

import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { toControlQuestion, toQuestion } from '../../engine/judge/outcome.ts';
import type { Dialect } from '../../engine/protocol.ts';
import type { Selection } from '../../engine/select.ts';
import type { Input, Suite, Vector } from '../../engine/vector.ts';
import { writeContent } from '../../suite/content-folder.ts';
import { makeFolder } from '../../suite/user-files.ts';

/** The version of the format; increased when readers of the previous one cannot read it. */
export const FORMAT = 1;

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
  return [header, ...questions].map((line) => `${JSON.stringify(line)}\n`).join('');
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
