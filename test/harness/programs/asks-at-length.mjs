/**
 * Asks the adapter of its command line many batches of large questions in one session, as long fuzz runs do, and prints
 * how many files of contents there are after each kind of batch.
 *
 * @module
 */
import { readdirSync } from 'node:fs';
import { RestartingSession } from '../../../dist/harness/respondents/adapter/restarting-session.js';
import { jsonWire } from '../../../dist/harness/respondents/adapter/wire.js';

const BATCHES = 100;
const QUESTIONS = 64;
const LENGTH = 20_000;

const dialect = { scheme: 'Svc', headerPrefix: 'X-Svc-', publicKeyParameter: 'SvcPublicKey' };
const keys = { publicKey: '', privateKey: '' };
const command = process.argv.slice(2);
const session = new RestartingSession(command, dialect, 60_000, jsonWire, process.env);
const batch = (count, create) => Array.from({ length: count }, (_, i) => create(i));

await session.hello();
for (let i = 0; i < BATCHES; i += 1) {
  const text = `${i}`.repeat(LENGTH);
  await session.ask(
    batch(QUESTIONS, (j) => ({ operation: 'url-encode', keys, input: { text: `${text}${j}` } })),
  );
}
for (const start of [0, 300]) {
  await session.ask(
    batch(300, (j) => ({
      operation: 'url-encode',
      keys,
      input: { content: { recipe: { size: start + j } } },
    })),
  );
}
const folders = readdirSync(process.env.TMPDIR).filter((name) => name.startsWith('svc-'));
console.log(`${session.asked} questions, ${folders.length} folders`);
await session.close();
