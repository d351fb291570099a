import { spawn } from 'node:child_process';
import { questions, record, rightReply, say } from './right.mjs';

/** A process in a process group of its own, which starts another one. */
const own = `setInterval(() => {}, 1000);
  const { pid } = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
  require('node:fs').appendFileSync(process.env.RECORD, pid + '\\n');`;
const daemon = spawn(process.execPath, ['-e', own], { detached: true, stdio: 'ignore' });
record(daemon.pid);
daemon.unref();
for await (const question of questions()) say(rightReply(question));
