import { spawn } from 'node:child_process';
import { questions, record, rightReply, say } from './right.mjs';

const ignoring = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
const grandchild = spawn(process.execPath, ['-e', ignoring], { stdio: 'ignore' });
record(grandchild.pid);
grandchild.unref();
for await (const question of questions()) say(rightReply(question));
