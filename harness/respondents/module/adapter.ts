/**
 * `node module-adapter.cjs MODULE`: a JavaScript module as an adapter (adapters/PROTOCOL.md).
 *
 * The module has a process of its own, because it may block, end the process or never settle.
 *
 * @module
 */
import { writeSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { isHello, isQuestion, type QuestionMessage } from '../../../reference/messages.ts';
import { OPERATIONS } from '../../../reference/operations.ts';
import { hasMembers, isFunction, parseJson, systemCode } from '../../../reference/values.ts';
import type { Dialect } from '../../engine/protocol.ts';
import { callSigner, formatError, listOperations, type SignerReply } from './answer.ts';

const [path = ''] = process.argv.slice(2);
const name = basename(path);

/** After this time, a note says that the module is still loading; in milliseconds. */
const LONG_LOADING = 900;

/** What the module is doing, for the message if it ends the process; empty if it may end. */
let activity = 'while it was loaded';

/** Redirects what the module prints to standard error: standard output is for replies only. */
const writeReply = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

/** Ends the process with a message that the harness shows, as the last line of standard error. */
function fail(message: string): never {
  log(message);
  activity = '';
  process.exit(1);
}

function log(message: string): void {
  writeSync(2, `${name}: ${message.replaceAll(/\s+/g, ' ')}\n`);
}

process.on('exit', (status) => {
  if (activity !== '') log(`process.exit(${status}) was called ${activity}`);
});
process.on('uncaughtException', (error) => fail(`uncaught error: ${formatError(error)}`));

/** Loads the module while a thread of its own, which runs even if the module blocks this one, watches the time. */
async function loadWatched(): Promise<object> {
  const text = JSON.stringify(
    `${name}: it is still loading: it blocks, or awaits a promise that never settles\n`,
  );
  const watch = new Worker(
    `setTimeout(() => require('node:fs').writeSync(2, ${text}), ${LONG_LOADING})`,
    { eval: true },
  );
  try {
    return await loadSigner();
  } finally {
    void watch.terminate();
  }
}

/** Loads the module, and takes its default export if that has an operation, otherwise its named exports. */
async function loadSigner(): Promise<object> {
  let exports: unknown;
  try {
    exports = await import(pathToFileURL(path).href);
  } catch (error) {
    fail(explainLoadError(error));
  }
  const inner = hasMembers(exports) ? exports['default'] : undefined;
  const candidates = [inner, exports].filter((one) => hasMembers(one) || isFunction(one));
  return (
    candidates.find((candidate) => listOperations(candidate).length > 0) ??
    fail(
      'neither it nor its default export has a function that is named as an operation, such as authorization or urlEncode (adapters/PROTOCOL.md)',
    )
  );
}

function explainLoadError(error: unknown): string {
  if (systemCode(error) === 'ERR_UNKNOWN_FILE_EXTENSION') {
    return `Node ${process.version} does not run such files; TypeScript needs Node 22.18 or later, or compile it`;
  }
  return `loading it failed: ${formatError(error)}`;
}

function helloReply(signer: object): object {
  const language = /^\.[cm]?ts$/.test(extname(path)) ? 'typescript' : 'javascript';
  const traces = Object.values(OPERATIONS).flatMap(({ stages }) => stages);
  return {
    protocol: 1,
    implementation: { name: name.trim().slice(0, 100) || 'module', version: 'module', language },
    operations: listOperations(signer),
    traces: [...new Set(traces)],
    window: 64,
  };
}

function toMessage(reply: SignerReply): object {
  switch (reply.kind) {
    case 'result':
      return { result: reply.result, trace: reply.trace };
    case 'refused':
      return { refused: { reason: reply.reason, message: reply.message } };
    case 'error':
      return { error: reply.message };
    case 'unsupported':
      return { unsupported: reply.message ?? true };
  }
}

async function answer(
  question: QuestionMessage,
  signer: object,
  dialect: Dialect,
): Promise<string> {
  const { n } = question;
  const message = toMessage(await callSigner(signer, question, dialect));
  try {
    return JSON.stringify({ n, ...message });
  } catch (error) {
    return JSON.stringify({
      n,
      error: `its return value cannot be written as JSON: ${formatError(error)}`,
    });
  }
}

/** How long the process may go on after its input has ended; in milliseconds. */
const GRACE = 5000;

/** Reads lines as they arrive; `node:readline` would also split them at U+2028, which JSON does not escape. */
async function* readLines(): AsyncGenerator<string, void> {
  let rest = '';
  const pieces: AsyncIterable<unknown> = process.stdin;
  for await (const piece of pieces) {
    const lines = (rest + String(piece)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

async function run(): Promise<void> {
  // Without the harness, a module that never settles must not keep the process alive.
  process.stdin.setEncoding('utf8').once('end', () => {
    setTimeout(() => process.exit(1), GRACE).unref();
  });
  const lines = readLines();
  // Reads before the module is loaded: Node would exit if the module awaits a promise that never settles.
  const first = lines.next();
  const signer = await loadWatched();
  const { value: hello } = await first;
  const greeting = parseJson(hello ?? '{}');
  if (!isHello(greeting)) fail('the first line is not a hello message');
  writeReply(`${JSON.stringify(helloReply(signer))}\n`);
  for await (const line of lines) {
    const question = parseJson(line);
    if (!isQuestion(question)) fail('a line is not a question');
    activity = `in ${question.operation}`;
    writeReply(`${await answer(question, signer, greeting.dialect)}\n`);
    activity = 'between its answers';
  }
  // Exits even if the module has left timers or connections open.
  activity = '';
  process.exit(0);
}

void run();
