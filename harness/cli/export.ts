/**
 * `export`: the questions of vectors, for people who ask them without the harness.
 *
 * @module
 */
import { writeFileSync } from 'node:fs';
import { dialectNamed } from '../dialects.ts';
import { EXIT, UsageError } from '../errors.ts';
import { intoFiles } from '../offline/content-files.ts';
import { bundle, type Export, questionLines } from '../offline/questions.ts';
import { print } from '../output.ts';
import { nearest, selectedVectors } from '../suite/select.ts';
import {
  parsed,
  refuseCommand,
  SELECTION,
  selectionOf,
  suiteOf,
  textOption,
  type Verb,
} from './verb.ts';
import { inWords } from './words.ts';

const OPTIONS = {
  ...SELECTION,
  dialect: { type: 'string' },
  format: { type: 'string' },
  out: { type: 'string' },
  files: { type: 'string' },
} as const;

const FORMATS: Readonly<Record<string, (exported: Export) => string>> = {
  'json-lines': questionLines,
  bundle,
};

export const exportVerb: Verb = async (parameters) => {
  const given = parsed(parameters, OPTIONS);
  refuseCommand(given);
  const format = formatNamed(textOption(given, 'format') ?? 'json-lines');
  const name = textOption(given, 'dialect') ?? 'svc';
  const dialect = dialectNamed(name);
  const suite = await suiteOf(given);
  const selection = selectionOf(given);
  const vectors = await inWords(name, selectedVectors(suite, selection));
  const folder = textOption(given, 'files');
  const input: Export['input'] =
    folder === undefined ? (own) => own : writing(folder, () => intoFiles(folder));
  const text = writing(folder ?? '', () => format({ suite, vectors, selection, dialect, input }));
  const out = textOption(given, 'out');
  if (out === undefined) print(text);
  else writing(out, () => writeFileSync(out, text));
  return EXIT.asExpected;
};

function formatNamed(name: string): (exported: Export) => string {
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (format) return format;
  const names = Object.keys(FORMATS);
  const near = nearest(name, names);
  throw new UsageError(
    `${JSON.stringify(name)} is no format; ${near === undefined ? `there are ${names.join(' and ')}` : `did you mean ${near}?`}`,
  );
}

/** Does what writes to a path; one that cannot be written is a `UsageError`. */
function writing<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UsageError(`${JSON.stringify(path)} cannot be written: ${code}; name another place`);
  }
}
