import { spawn } from 'node:child_process';
import { isPoison, questions, record, rightReply, say } from './right.mjs';

for await (const question of questions()) {
  if (isPoison(question)) {
    // The grandchild keeps the output open after this program has exited.
    const grandchild = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      stdio: 'inherit',
    });
    record(grandchild.pid);
    process.exit(1);
  }
  say(rightReply(question));
}
