/**
 * The parts of a correct adapter. The programs that use them are correct except for one thing.
 *
 * @module
 */
import { appendFileSync, readFileSync } from 'node:fs';
import {
  parseTabLines,
  writeTabLines,
} from '../../../dist/harness/respondents/adapter/tab-wire.js';
import { answerQuestion } from '../../../dist/reference/answers.js';
import { OPERATIONS, resultStages } from '../../../dist/reference/operations.js';
import { readFile } from '../../../dist/reference/read-file.js';
import { inDialect } from '../../../dist/reference/signing/index.js';

/** `node program.mjs [WINDOW [WHAT]]`. */
export const [window = '1', what = ''] = process.argv.slice(2);

export const HELLO = {
  protocol: 1,
  implementation: { name: 'program', version: '1', language: 'javascript' },
  operations: Object.keys(OPERATIONS),
  window: Number(window),
};

/** Writes a line for the test. A number is the id of a process that must end with the run. */
export function record(line) {
  appendFileSync(process.env.RECORD, `${line}\n`);
}

record(process.pid);

/** How often this program was started, this time included. */
export const life = readFileSync(process.env.RECORD, 'utf8').match(/^[0-9]+$/gm).length;

export const isInTabs = process.env.WIRE === 'tabs';

/** The text of a message as it is sent. */
export function written(message) {
  return isInTabs ? `${writeTabLines(message)}\n` : `${JSON.stringify(message)}\n`;
}

export function say(message) {
  process.stdout.write(written(message));
}

/** Yields the messages that the harness sends. */
async function* messages() {
  const end = isInTabs ? '\n\n' : '\n';
  let rest = '';
  for await (const text of process.stdin.setEncoding('utf8')) {
    const whole = (rest + text).split(end);
    rest = whole.pop();
    for (const one of whole)
      yield isInTabs ? parseTabLines(one.split('\n')).message : JSON.parse(one);
  }
}

let context;

/** Replies to hello and yields the questions that follow. */
export async function* questions(hello = HELLO) {
  for await (const message of messages()) {
    if (context) {
      yield message;
    } else {
      context = inDialect(message.dialect);
      say(hello);
    }
  }
}

export function rightReply({ n, operation, input, keys }) {
  const answer = answerQuestion(operation, input, keys, context, readFile);
  if ('reason' in answer) return { n, refused: answer };
  const result = resultStages(operation).map((stage) => [stage, answer.stages[stage]]);
  return { n, result: Object.fromEntries(result) };
}

/** Whether this is the question on which programs fail that fail on only one. */
export function isPoison({ input }) {
  return input.text === 'poison';
}

/** Keeps the program running without any further output. */
export function hang() {
  record('hangs');
  setInterval(() => {}, 1000);
  return new Promise(() => {});
}
