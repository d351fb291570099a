/**
 * `export`: the questions of vectors, for use without the harness.
 *
 * @module
 */

import { writeFileSync } from 'node:fs';
import { parseDialect } from '../engine/dialects.ts';
import { EXIT } from '../engine/errors.ts';
import { entryNamed, selectVectors } from '../engine/select.ts';
import {
  createContentWriter,
  type Export,
  writeBundle,
  writeQuestions,
} from '../respondents/answers.ts';
import { withFile } from '../suite/user-files.ts';
import { DIALECT } from './adapter-options.ts';
import type { Call } from './call.ts';
import { ID, QUESTION_OPTIONS, selectionOf, suiteOf, translateTo } from './selection.ts';
import { type Parsed, SELECTING_EXIT_CODES, textOption, textOrDefault, type Verb } from './verb.ts';

const FORMATS: Readonly<Record<string, (exported: Export) => string>> = {
  'json-lines': writeQuestions,
  bundle: writeBundle,
};

export const exportVerb: Verb = {
  usage: ['export [options] [ID…]'],
  example: 'export --operation authorization --out questions.jsonl',
  exitCodes: SELECTING_EXIT_CODES,
  summary:
    'Writes the questions of the vectors as JSON lines, for a phone, a browser or your own test runner; or one JSON bundle with questions and answers.',
  operands: { ID },
  options: {
    ...QUESTION_OPTIONS,
    format: {
      value: 'NAME',
      default: 'json-lines',
      help: 'json-lines contains the questions; bundle also contains the answers',
      candidates: () => Object.keys(FORMATS),
    },
    out: { value: 'FILE', help: 'where to write (default: standard output)' },
    files: {
      value: 'FOLDER',
      help: 'create the contents of files in this folder, and write their paths into the questions. By default, the questions describe a content as {"recipe": {"size": BYTES, "marks": [[OFFSET, TEXT], …]}}: zeros, with texts written over them',
    },
    dialect: { ...DIALECT, default: 'svc' },
  },
  run: exportQuestions,
};

async function exportQuestions(given: Parsed, call: Call): Promise<number> {
  const formatName = textOrDefault(given, 'format');
  const format = entryNamed(
    FORMATS,
    formatName,
    `${JSON.stringify(formatName)} is not a format`,
    `the formats are ${Object.keys(FORMATS).join(' and ')}`,
  );
  const dialectText = textOrDefault(given, 'dialect');
  const dialect = parseDialect(dialectText);
  const suite = await suiteOf(given);
  const selection = selectionOf(given);
  const vectors = await translateTo(dialectText, selectVectors(suite, selection));
  const write = (input: Export['input']) => format({ suite, vectors, selection, dialect, input });
  const folder = textOption(given, 'files');
  const text =
    folder === undefined
      ? write((input) => input)
      : withWriteErrors(folder, () => write(createContentWriter(folder)));
  const out = textOption(given, 'out');
  if (out === undefined) call.print(text);
  else withWriteErrors(out, () => writeFileSync(out, text));
  return EXIT.asExpected;
}

/** Calls a function that writes to a path. @throws UsageError if the path cannot be written */
function withWriteErrors<T>(path: string, write: () => T): T {
  return withFile(write, `${JSON.stringify(path)} cannot be written`, 'name another place');
}
