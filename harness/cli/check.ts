/**
 * `check`: answers that were written down, judged like those of an adapter.
 *
 * @module
 */
import type { Explanation } from '../diagnosis/explanation.ts';
import { dialectName, dialectNamed } from '../dialects.ts';
import { EXIT, UsageError } from '../errors.ts';
import { bytesOfFile, bytesOfInput, LARGEST } from '../input.ts';
import { type Answers, answersIn, type Header } from '../offline/answers.ts';
import { judgedAnswers } from '../offline/judged.ts';
import { FORMAT } from '../offline/questions.ts';
import { warn } from '../output.ts';
import type { Beginning } from '../report/reporter.ts';
import type { Run } from '../run.ts';
import { ContentFolder } from '../suite/content.ts';
import { type Selection, selectedVectors } from '../suite/select.ts';
import type { Suite } from '../suite/vector.ts';
import { enforced, exitCode, isFailure } from '../verdict.ts';
import { openedReports } from './reports.ts';
import { withExplanation, withSharedInput } from './settled.ts';
import {
  type Parsed,
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
  all: { type: 'boolean' },
  reporter: { type: 'string', multiple: true },
} as const;

export const checkVerb: Verb = async (parameters) => {
  const given = parsed(parameters, OPTIONS);
  refuseCommand(given);
  const [path = '-', ...patterns] = given.positionals;
  const name = path === '-' ? 'standard input' : path;
  const suite = await suiteOf(given);
  const answers = answersIn(await bytesOf(path), name);
  if (answers.answers.length === 0) {
    throw new UsageError(`${name} holds no answers; write one JSON object per line into it`);
  }
  const selection = selectionFor(answers, { ...given, positionals: patterns }, suite, name);
  const dialect = dialectFor(answers, given, name);
  const vectors = await inWords(dialect, selectedVectors(suite, selection));
  const folder = textOption(given, 'vectors');
  const run = enforced(judgedAnswers(answers, vectors, suite), selection);
  return reported(given, await withSharedInput(run), {
    suite,
    vectors,
    selection,
    ...(folder !== undefined && { folder }),
    subjects: [{ name, command: [], wire: 'json', dialect, ownAdapter: false }],
    parameters: given,
  });
};

/** Writes the reports of `run`, and yields its exit code. */
async function reported(given: Parsed, run: Run, beginning: Beginning): Promise<number> {
  const reports = await openedReports(given);
  await reports.begun(beginning);
  let code: number = EXIT.asExpected;
  for (const subject of beginning.subjects) {
    const judged = await withExplanation(run, () => explained(run, subject.dialect));
    await reports.judged({ subject, ...judged });
    code = exitCode(judged.run);
  }
  reports.ended({ exitCode: code, missing: 0 });
  return code;
}

async function bytesOf(path: string): Promise<Uint8Array> {
  if (path === '-') {
    if (process.stdin.isTTY) warn('reading answers from the terminal; end them with Ctrl-D\n');
  }
  try {
    return path === '-' ? await bytesOfInput(LARGEST.answers) : bytesOfFile(path, LARGEST.answers);
  } catch (error) {
    const { code = 'an error' } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${path === '-' ? 'standard input' : `the file ${JSON.stringify(path)}`} cannot be read: ${code}; name a file with one answer per line`,
    );
  }
}

/** What was exported, where the answers say so; else what the command line selects. */
function selectionFor({ header }: Answers, given: Parsed, suite: Suite, name: string): Selection {
  const own = selectionOf(given);
  if (!header) return own;
  refuseForeign(header, suite, name);
  const { patterns, rules, levels, operations, smoke } = own;
  if (smoke || [patterns, rules, levels, operations].some(({ length }) => length > 0)) {
    throw new UsageError(
      `${name} says in its first line which vectors were exported; leave out the filters, or that line`,
    );
  }
  return header.selection;
}

/** Another version may ask the same questions and judge them otherwise. */
function refuseForeign({ suite: version, format }: Header, suite: Suite, name: string): void {
  if (version === suite.version && format === FORMAT) return;
  throw new UsageError(
    `${name} answers the vectors of version ${JSON.stringify(version)}, and this is ${suite.version}; export them again`,
  );
}

function dialectFor({ header }: Answers, given: Parsed, name: string): string {
  const wanted = textOption(given, 'dialect');
  const own = wanted === undefined ? undefined : dialectName(dialectNamed(wanted));
  const exported = header && dialectName(header.dialect);
  if (own !== undefined && exported !== undefined && own !== exported) {
    throw new UsageError(
      `${name} answers questions in the dialect ${exported}, not ${own}; leave out --dialect`,
    );
  }
  return own ?? exported ?? 'svc';
}

/** Nobody can be asked any further: what the answers show is all there is. */
async function explained({ outcomes }: Run, dialect: string): Promise<Explanation | undefined> {
  if (!outcomes.some(isFailure)) return undefined;
  const { explanationOfAnswers } = await import('../diagnosis/explanation.ts');
  const contents = new ContentFolder();
  try {
    return explanationOfAnswers(outcomes, dialectNamed(dialect), contents);
  } finally {
    contents.remove();
  }
}
