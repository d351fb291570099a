/**
 * The reference through the protocol that everybody uses: adapters/PROTOCOL.md.
 *
 * @module
 */
import { readSync, writeSync } from 'node:fs';
import { OPERATIONS, type OperationInput, outcome } from '../../reference/operations.ts';
import {
  type Context,
  type Dialect,
  inDialect,
  type KeyPair,
} from '../../reference/signing/index.ts';

interface Question {
  readonly n: number;
  readonly operation: string;
  readonly keys: KeyPair;
  readonly input: OperationInput;
}

function reply({ operation, keys, input }: Question, context: Context): object {
  if (!OPERATIONS[operation]) return { unsupported: true };
  try {
    const answer = outcome(operation, input, keys, context);
    if ('reason' in answer) return { refused: answer };
    const result: Record<string, unknown> = {};
    const trace: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(answer.stages)) {
      (answer.results.includes(name) ? result : trace)[name] = value;
    }
    return { result, trace };
  } catch (error) {
    return { error: String(error) };
  }
}

// A refusal is an answer here; nobody reads where it was thrown.
Error.stackTraceLimit = 0;

let context: Context | undefined;

function answer(line: string): string {
  const message = JSON.parse(line) as unknown;
  if (!context) {
    context = inDialect((message as { dialect: Dialect }).dialect);
    return JSON.stringify({
      protocol: 1,
      implementation: { name: 'reference', version: '0.1.0', language: 'typescript' },
      operations: Object.keys(OPERATIONS),
      traces: [
        'sortedParameters',
        'canonicalHeaders',
        'canonicalResource',
        'stringToSign',
        'digest',
        'signature',
        'encodedSignature',
        'blockCount',
      ],
      window: 64,
    });
  }
  const question = message as Question;
  return JSON.stringify({ n: question.n, ...reply(question, context) });
}

const LINE_FEED = 0x0a;

const piece = Buffer.alloc(64 * 1024);

/** How many bytes came on standard input, waiting for them; 0 at its end. */
function readPiece(): number {
  try {
    return readSync(0, piece);
  } catch (error) {
    // Windows ends a pipe that way.
    if ((error as NodeJS.ErrnoException).code === 'EOF') return 0;
    throw error;
  }
}

let rest = Buffer.alloc(0);
for (let length = readPiece(); length > 0; length = readPiece()) {
  const bytes = Buffer.concat([rest, piece.subarray(0, length)]);
  const end = bytes.lastIndexOf(LINE_FEED) + 1;
  rest = bytes.subarray(end);
  const lines = bytes.toString('utf8', 0, end).split('\n').slice(0, -1);
  // One write for all lines that came at once.
  if (lines.length > 0) writeSync(1, lines.map((line) => `${answer(line)}\n`).join(''));
}
