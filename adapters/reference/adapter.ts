/**
 * The reference through the protocol that everybody uses: adapters/PROTOCOL.md.
 *
 * @module
 */
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

let rest = '';
process.stdin.setEncoding('utf8').on('data', (text: string) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop() ?? '';
  // One write for all lines that came at once.
  const replies = lines.map((line) => `${answer(line)}\n`).join('');
  if (replies !== '') process.stdout.write(replies);
});
