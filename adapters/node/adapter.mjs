/**
 * The loop of a conformance adapter: one JSON question per line in, one JSON reply per line out.
 * What it offers is in `signing.mjs`; the messages are those of PROTOCOL.md.
 */

import { IMPLEMENTATION, operations, Refusal, TRACES, Unsupported } from './signing.mjs';

function helloReply() {
  const names = Object.keys(operations);
  return {
    protocol: 1,
    implementation: IMPLEMENTATION,
    operations: names,
    traces: TRACES,
    window: 64,
  };
}

/** An operation may also give a promise, as many SDKs do. */
async function reply({ n, operation, input, keys }, dialect) {
  if (!Object.hasOwn(operations, operation)) return { n, unsupported: true };
  try {
    return { n, ...(await operations[operation](input, keys, dialect)) };
  } catch (error) {
    if (error instanceof Refusal) {
      return { n, refused: { reason: error.reason, message: error.message } };
    }
    if (error instanceof Unsupported) return { n, unsupported: error.message || true };
    return { n, error: `${error?.name}: ${error?.message}${placeOf(error)}` };
  }
}

/** Where it was thrown, ` (file:line:column)`; nothing where there is no stack. */
function placeOf(error) {
  const place = /^ +at (?:.*\()?(\S.*?:[0-9]+:[0-9]+)\)?$/m.exec(error?.stack ?? '')?.[1];
  return place === undefined ? '' : ` (${place})`;
}

/** Lines of standard input. `node:readline` would also break them at U+2028, which JSON may hold bare. */
async function* inputLines() {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let rest = '';
  for await (const chunk of process.stdin) {
    const [first, ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    rest += first;
    for (const next of others) {
      yield rest;
      rest = next;
    }
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

// The replies alone go to standard output: what an SDK prints goes to standard error.
const writeReply = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

let dialect;
try {
  for await (const line of inputLines()) {
    const message = JSON.parse(line);
    if (!Object.hasOwn(Object(message), dialect ? 'n' : 'dialect'))
      throw new TypeError('no message');
    const answer = dialect ? await reply(message, dialect) : helloReply();
    dialect ??= message.dialect;
    writeReply(`${JSON.stringify(answer)}\n`);
  }
} catch (error) {
  // Neither the line nor the error's own text: both may hold a private key.
  console.error(`a line of standard input is no message in JSON and UTF-8 (${error.name})`);
  process.exitCode = 1;
}
