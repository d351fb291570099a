/**
 * Asks the adapter of its command line many batches of large questions in one session, as long fuzz runs do, then rounds of
 * prepared questions, as long runs on fresh data do. Prints how many folders and files of contents are left.
 *
 * @module
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from '../../../dist/harness/respondents/adapter/pool.js';
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
const contents = (start) =>
  batch(300, (j) => ({
    operation: 'url-encode',
    keys,
    input: { content: { recipe: { size: start + j } } },
  }));
for (const start of [0, 300]) await session.ask(contents(start));
const listFolders = () => readdirSync(process.env.TMPDIR).filter((name) => name.startsWith('svc-'));
console.log(`${session.asked} questions, ${listFolders().length} folders`);
await session.close();

const limits = { question: 60_000, start: 60_000, total: 600_000, restarts: 1 };
const pool = new Pool(command, dialect, limits, 1);
await pool.hello();
for (const start of [0, 300, 600]) {
  const prepared = contents(start).map((question) => pool.prepare(question));
  await pool.ask(prepared.slice(0, 200));
  await pool.ask(prepared.slice(200));
}
const files = listFolders().flatMap((name) => readdirSync(join(process.env.TMPDIR, name)));
console.log(`${files.length} files of the last round`);
await pool.close();
