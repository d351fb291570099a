/**
 * `adapter check`: checks the messages of an adapter against the protocol.
 *
 * @module
 */
import { OPERATIONS, resultStages } from '../../reference/operations.ts';
import { EXIT, UsageError } from '../engine/errors.ts';
import { formatCount } from '../engine/excerpt.ts';
import { toQuestion } from '../engine/judge/outcome.ts';
import type { Reply } from '../engine/protocol.ts';
import { type Respondent, StartError, type Subject } from '../engine/respondent.ts';
import type { Vector } from '../engine/vector.ts';
import { bundledSuite } from '../suite/bundle.ts';
import { ADAPTER_OPTIONS, commandOf } from './adapter-options.ts';
import type { Call } from './call.ts';
import { createPool, subjectsOf } from './subjects.ts';
import type { Parsed, Verb } from './verb.ts';

export const adapterVerb: Verb = {
  usage: [
    'adapter check [options] -- COMMAND…',
    'adapter check --adapter NAME',
    'adapter check --module FILE',
  ],
  example: 'adapter check -- python3 adapter.py',
  exitCodes: {
    0: 'the messages fit the protocol',
    1: 'some messages do not fit the protocol',
    4: 'the adapter never worked',
    5: 'aborted, or some questions were not asked',
  },
  summary:
    'Checks the messages of an adapter against the protocol. It does not judge the answers; run does.',
  operands: {
    check: { help: 'required; the only task of this verb', candidates: () => ['check'] },
  },
  options: ADAPTER_OPTIONS,
  takesCommand: true,
  run: checkAdapters,
};

async function checkAdapters(given: Parsed, call: Call): Promise<number> {
  const [what, ...more] = given.positionals;
  const hasAdapter = given.values['adapter'] !== undefined || (commandOf(given) ?? []).length > 0;
  if (what !== 'check' || more.length > 0 || !hasAdapter) {
    throw new UsageError(
      'write svc-conformance adapter check [options] -- COMMAND…, or name the adapter with --adapter or --module',
    );
  }
  const codes: number[] = [];
  for (const subject of await subjectsOf(given)) codes.push(await checkSubject(subject, call));
  return Math.max(...codes);
}

async function checkSubject(subject: Subject, call: Call): Promise<number> {
  const say: Say = (line) => call.print(`${line}\n`);
  if (subject.missing !== undefined) {
    say(`${subject.name} not run, because ${subject.missing}`);
    return EXIT.neverWorked;
  }
  const pool = await createPool(subject, call.io.env);
  const ignore = call.io.onInterrupt(() => pool.abort('the check was interrupted'));
  try {
    return await checkMessages(pool, say);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    say(`BAD  hello: ${error.message}`);
    return EXIT.neverWorked;
  } finally {
    await pool.close();
    ignore();
  }
}

type Say = (line: string) => void;

interface Answer {
  readonly vector: Vector;
  readonly reply: Reply;
}

async function checkMessages(respondent: Respondent, say: Say): Promise<number> {
  const { implementation, operations, traces = [], window = 1 } = await respondent.hello();
  say(
    `ok   hello: ${implementation.name} ${implementation.version} (${implementation.language}), ${formatCount(operations.length, 'operation')}, window ${window}`,
  );
  const { banner = 0 } = respondent;
  if (banner > 0) {
    say(
      `note standard output has ${formatCount(banner, 'line')} before the reply to hello; write banners to standard error`,
    );
  }
  // The form of the messages does not depend on the size of the contents.
  const vectors = bundledSuite().vectors.filter(
    ({ operation, large }) => !large && operations.includes(operation),
  );
  const replies = await respondent.ask(vectors.map(toQuestion));
  const answers = replies.flatMap((reply, i): readonly Answer[] => {
    const vector = vectors[i];
    return vector ? [{ vector, reply }] : [];
  });
  let faults = 0;
  for (const operation of operations) {
    const own = answers.filter(({ vector }) => vector.operation === operation);
    faults += checkOperation(operation, own, traces, say);
  }
  const absent = Object.keys(OPERATIONS).filter((name) => !operations.includes(name));
  if (absent.length > 0)
    say(`note operations that the adapter does not offer: ${absent.join(', ')}`);
  return reportResult(faults, replies, say);
}

/** Prints the problems of the messages about one operation, and returns their number. */
function checkOperation(
  operation: string,
  answers: readonly Answer[],
  traces: readonly string[],
  say: Say,
): number {
  // An SDK may fail on some questions. An error message is valid, and `run` judges it.
  const errors = answers.filter(({ reply }) => reply.kind === 'error').length;
  const allFailed = errors === answers.length;
  const problems = answers.flatMap(({ vector, reply }) =>
    reply.kind === 'error' && !allFailed ? [] : (replyProblem(vector, reply, traces) ?? []),
  );
  const unasked = answers.filter(({ reply }) => reply.kind === 'not-asked').length;
  const received = answers.length - unasked;
  const rest = unasked === 0 ? '' : `, ${formatCount(unasked, 'question')} not asked`;
  say(
    problems.length === 0
      ? `${unasked === 0 ? 'ok  ' : 'note'} ${operation}: ${formatCount(received, 'reply', 'replies')}${rest}`
      : `BAD  ${operation}: ${problems.length} of ${formatCount(received, 'reply', 'replies')}${rest}`,
  );
  for (const problem of [...new Set(problems)].slice(0, 5)) say(`       ${problem}`);
  if (errors > 0 && !allFailed)
    say(`note ${operation}: ${errors} of ${received} replies report an error; see \`run\``);
  return problems.length;
}

/** Prints the result of the check, and returns the exit code. */
function reportResult(faults: number, replies: readonly Reply[], say: Say): number {
  const unasked = replies.find(({ kind }) => kind === 'not-asked');
  if (faults > 0) say(`${formatCount(faults, 'message does', 'messages do')} not fit the protocol`);
  if (unasked && 'message' in unasked)
    say(`aborted: some questions were not asked: ${unasked.message}`);
  else if (faults === 0) say('the messages fit the protocol; `run` judges the answers');
  if (unasked) return EXIT.aborted;
  return faults === 0 ? EXIT.asExpected : EXIT.failures;
}

/** The first problem in the form of a reply. Whether the answer is correct does not matter here. */
function replyProblem(vector: Vector, reply: Reply, traces: readonly string[]): string | undefined {
  switch (reply.kind) {
    case 'result': {
      const results = resultStages(vector.operation);
      const stages = OPERATIONS[vector.operation]?.stages ?? [];
      const missing = results.find((stage) => reply.result[stage] === undefined);
      if (missing !== undefined) return `the result lacks ${missing}`;
      const foreign = [...Object.keys(reply.result), ...Object.keys(reply.trace)].find(
        (stage) => !stages.includes(stage),
      );
      if (foreign !== undefined) return `${foreign} is not a stage of this operation`;
      const undeclared = Object.keys(reply.trace).find((stage) => !traces.includes(stage));
      return undeclared === undefined
        ? undefined
        : `the trace shows ${undeclared}, which hello does not list among traces`;
    }
    case 'refused':
    // An implementation may support an operation but not every question about it.
    case 'unsupported':
    // The question was not asked; `reportResult` reports it.
    case 'not-asked':
      return undefined;
    case 'error':
    case 'crashed':
    case 'timeout':
    case 'garbage':
      return `${reply.kind}: ${reply.message}`;
  }
}
