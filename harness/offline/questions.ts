/**
 * The questions of vectors, for whoever asks them without the harness (schema/offline.schema.json).
 *
 * Nothing in the texts depends on the time or the place of the export.
 *
 * @module
 */
import type { Dialect } from '../adapter/messages.ts';
import { controlOf, questionOf } from '../run.ts';
import type { Selection } from '../suite/select.ts';
import type { Input, Suite, Vector } from '../suite/vector.ts';

/** Counts up when a reader of the format before could not read it any more. */
export const FORMAT = 1;

/** What is exported: vectors in the words of the dialect, and how they were selected. */
export interface Export {
  readonly suite: Suite;
  readonly vectors: readonly Vector[];
  readonly selection: Selection;
  readonly dialect: Dialect;
  /** The input as it is asked: the content of a file as its recipe, or as the name of a file. */
  readonly input: (input: Input) => Input;
}

/** One JSON object per line: a header, then a question for each vector and for each control. */
export function questionLines({ vectors, input, ...from }: Export): string {
  const questions = vectors.flatMap((vector) => {
    const own = questionOf(vector);
    const control = vector.control && controlOf(vector);
    return [
      { id: vector.id, ...own, input: input(own.input) },
      ...(control
        ? [{ id: vector.id, control: true, ...control, input: input(control.input) }]
        : []),
    ];
  });
  const header = { type: 'header', ...origin(from), questions: questions.length };
  return [header, ...questions].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** One JSON text with the answers, a vector on each line. */
export function bundle({ vectors, input, ...from }: Export): string {
  const { rules } = from.suite;
  const used = new Set(vectors.flatMap((vector) => vector.rules));
  const list = (members: readonly object[]): string =>
    `[\n${members.map((member) => JSON.stringify(member)).join(',\n')}\n]`;
  const head = JSON.stringify({ type: 'bundle', ...origin(from) }).slice(0, -1);
  return `${head},
"rules":${list(rules.filter(({ id }) => used.has(id)).map(({ id, level, text }) => ({ id, level, text })))},
"vectors":${list(vectors.map((vector) => bundled(vector, input)))}}
`;
}

function origin({ suite, selection, dialect }: Pick<Export, 'suite' | 'selection' | 'dialect'>) {
  const { scheme, headerPrefix, publicKeyParameter } = dialect;
  return {
    format: FORMAT,
    suite: suite.version,
    dialect: { scheme, headerPrefix, publicKeyParameter },
    selection,
  };
}

function bundled(vector: Vector, input: Export['input']): object {
  const { id, level, rules, why, expect, accept, refuse, control } = vector;
  const { operation, ...own } = questionOf(vector);
  const { keys, input: controlInput } = controlOf(vector);
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
