/**
 * The reference as an adapter, which speaks the protocol of adapters/PROTOCOL.md.
 *
 * @module
 */
import { readSync, writeSync } from 'node:fs';
import { answerQuestion, splitStages, TRACES } from '../../reference/answers.ts';
import { isHello, isQuestion, type QuestionMessage } from '../../reference/messages.ts';
import { OPERATIONS } from '../../reference/operations.ts';
import { readFile } from '../../reference/read-file.ts';
import { type Context, inDialect } from '../../reference/signing/index.ts';
import { parseJson, systemCode } from '../../reference/values.ts';

function toMessage({ operation, keys, input }: QuestionMessage, context: Context): object {
  if (!OPERATIONS[operation]) return { unsupported: true };
  try {
    const answer = answerQuestion(operation, input, keys, context, readFile);
    if ('reason' in answer) return { refused: answer };
    return splitStages(operation, answer.stages);
  } catch (error) {
    return { error: String(error) };
  }
}

// Refusals are thrown as errors, and their stack traces are never read.
Error.stackTraceLimit = 0;

let context: Context | undefined;

function answerLine(line: string): string {
  const message = parseJson(line);
  if (!context) {
    if (!isHello(message)) throw new Error('the first line is not a hello message');
    context = inDialect(message.dialect);
    return JSON.stringify({
      protocol: 1,
      implementation: { name: 'reference', version: '0.1.0', language: 'typescript' },
      operations: Object.keys(OPERATIONS),
      traces: TRACES,
      window: 64,
    });
  }
  if (!isQuestion(message)) throw new Error('a line is not a question');
  return JSON.stringify({ n: message.n, ...toMessage(message, context) });
}

const LINE_FEED = 0x0a;

const piece = Buffer.alloc(64 * 1024);

/** Waits for bytes on standard input and returns their number; 0 at the end. */
function readPiece(): number {
  try {
    return readSync(0, piece);
  } catch (error) {
    // Windows reports the end of a pipe as an error.
    if (systemCode(error) === 'EOF') return 0;
    throw error;
  }
}

let rest = Buffer.alloc(0);
for (let length = readPiece(); length > 0; length = readPiece()) {
  const bytes = Buffer.concat([rest, piece.subarray(0, length)]);
  const end = bytes.lastIndexOf(LINE_FEED) + 1;
  rest = bytes.subarray(end);
  const lines = bytes.toString('utf8', 0, end).split('\n').slice(0, -1);
  // Answers all lines of a piece in one write, for speed.
  if (lines.length > 0) writeSync(1, lines.map((line) => `${answerLine(line)}\n`).join(''));
}
