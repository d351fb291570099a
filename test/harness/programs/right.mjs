/**
 * A right adapter, taken apart: every program here is right except for one thing.
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

/** Leaves a line for the test to read; a line that is a number is a process that must be gone in the end. */
export function record(line) {
  appendFileSync(process.env.RECORD, `${line}\n`);
}

record(process.pid);

/** How often this program was started, this time included. */
export const life = readFileSync(process.env.RECORD, 'utf8').match(/^[0-9]+$/gm).length;

export const isInTabs = process.env.WIRE === 'tabs';

/** A message as it is sent. */
export function written(message) {
  return isInTabs ? `${writeTabLines(message)}\n` : `${JSON.stringify(message)}\n`;
}

export function say(message) {
  process.stdout.write(written(message));
}

/** The messages that come, one after the other. */
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

/** The one question of the suite over which programs break that break over one. */
export function isPoison({ input }) {
  return input.text === 'poison';
}

/** Neither ends nor says anything any more. */
export function hang() {
  record('hangs');
  setInterval(() => {}, 1000);
  return new Promise(() => {});
}
