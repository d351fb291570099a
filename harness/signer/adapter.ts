/**
 * `node module-adapter.cjs MODULE`: a JavaScript module as an adapter (adapters/PROTOCOL.md).
 *
 * In a process of its own, so that a module that blocks, ends the process or never settles harms nobody else.
 *
 * @module
 */
import { writeSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Dialect, Question } from '../adapter/messages.ts';
import { OPERATIONS } from '../suite/operations.ts';
import { type Answered, answerOf, errorText, operationsOf } from './answer.ts';
import { ModuleError, signerIn } from './module.ts';
import type { Signer } from './signer.ts';

const [path = ''] = process.argv.slice(2);
const name = basename(path);

/** After so long, somebody wants to know what takes so long; in milliseconds. */
const LONG_LOADING = 900;

/** What is done now, for whoever asks why the process ended. */
let doing = 'while it was loaded';

/** Standard output is for replies alone: what the module prints goes to standard error. */
const reply = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

/** The harness shows the last line of standard error. */
function fail(what: string): never {
  say(what);
  doing = '';
  process.exit(1);
}

function say(what: string): void {
  writeSync(2, `${name}: ${what.replaceAll(/\s+/g, ' ')}\n`);
}

process.on('exit', (status) => {
  if (doing !== '') say(`process.exit(${status}) was called ${doing}`);
});
process.on('uncaughtException', (error) =>
  fail(`an error that nobody caught: ${errorText(error)}`),
);

/** A thread of its own can tell even when the module blocks this one. */
async function loaded(): Promise<Signer> {
  const text = JSON.stringify(
    `${name}: it is still being loaded: it blocks, or awaits what never settles\n`,
  );
  const watch = new Worker(
    `setTimeout(() => require('node:fs').writeSync(2, ${text}), ${LONG_LOADING})`,
    { eval: true },
  );
  try {
    return await signerIn(path);
  } catch (error) {
    if (error instanceof ModuleError) fail(error.message);
    throw error;
  } finally {
    void watch.terminate();
  }
}

function helloReply(signer: Signer): object {
  const language = /^\.[cm]?ts$/.test(extname(path)) ? 'typescript' : 'javascript';
  const traces = Object.values(OPERATIONS).flatMap(({ stages }) => stages);
  return {
    protocol: 1,
    implementation: { name: name.trim().slice(0, 100) || 'module', version: 'module', language },
    operations: operationsOf(signer),
    traces: [...new Set(traces)],
    window: 64,
  };
}

/** An answer as the message that it is. */
function message(answered: Answered): object {
  switch (answered.kind) {
    case 'result':
      return { result: answered.result, trace: answered.trace };
    case 'refused':
      return { refused: { reason: answered.reason, message: answered.message } };
    case 'error':
      return { error: answered.message };
    case 'unsupported':
      return { unsupported: answered.message ?? true };
  }
}

async function answered(n: number, question: Question, signer: Signer, dialect: Dialect) {
  const answer = message(await answerOf(signer, question, dialect));
  try {
    return JSON.stringify({ n, ...answer });
  } catch (error) {
    return JSON.stringify({ n, error: `what it returned is no JSON: ${errorText(error)}` });
  }
}

/** Its own end follows soon where the harness is gone and the module does not settle; in milliseconds. */
const GRACE = 5000;

/** Lines as they come; `node:readline` would also break them at U+2028, which JSON may hold bare. */
async function* inputLines(): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of process.stdin) {
    const lines = (rest + String(piece)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

async function talk(): Promise<void> {
  // Read from the start: a module that awaits what never settles would end the process.
  process.stdin.setEncoding('utf8').once('end', () => {
    setTimeout(() => process.exit(1), GRACE).unref();
  });
  const lines = inputLines();
  const first = lines.next();
  const signer = await loaded();
  const { value: hello = '{}' } = await first;
  const { dialect } = JSON.parse(hello) as { readonly dialect?: Dialect };
  if (!dialect) fail('the first line is no hello');
  reply(`${JSON.stringify(helloReply(signer))}\n`);
  for await (const line of lines) {
    const question = JSON.parse(line) as Question & { readonly n: number };
    doing = `in ${question.operation}`;
    reply(`${await answered(question.n, question, signer, dialect)}\n`);
    doing = 'between its answers';
  }
  // What the module left running must not keep the process.
  doing = '';
  process.exit(0);
}

void talk();
