/** A client with one right request, and something odd: wire-oddity.mjs WHAT */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { ask } from './wire-requests.mjs';

const record = (line) => appendFileSync(process.env.RECORD, `${line}\n`);
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const ODDITIES = {
  async hangs() {
    record(process.pid);
    record('hangs');
    await wait(600_000);
  },
  async 'hangs-and-ignores-signals'() {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
    await ODDITIES.hangs();
  },
  crashes() {
    throw new Error('the client crashes');
  },
  floods() {
    const line = `${'x'.repeat(999)}\n`;
    for (let i = 0; i < 5000; i++) process.stderr.write(line);
  },
  'leaves-a-grandchild'() {
    const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      stdio: 'inherit',
    });
    record(left.pid);
    left.unref();
    process.exit(0);
  },
  'leaves-its-group'() {
    const options = { detached: true, stdio: 'ignore' };
    const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], options);
    record(left.pid);
    left.unref();
    process.exit(0);
  },
  'asks-for-other-things'() {
    return Promise.all([
      ask('GET', 'a.txt', { bucket: 'open', isUnsigned: true }),
      ask('GET', 'a.txt', { host: 'www.example.com' }),
      ask('PATCH', 'a.txt'),
      ask('GET', 'a.txt', { bucket: 'nowhere' }),
    ]);
  },
  'shows-its-keys'() {
    console.log(JSON.stringify(process.env));
  },
};

await ask('PUT', 'a.txt', { body: 'a' });
await ODDITIES[process.argv[2]]?.();
