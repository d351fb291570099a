import { setTimeout as wait } from 'node:timers/promises';
import { isPoison, questions, rightReply, say } from './right.mjs';

/** Suspends the harness for two seconds, then answers soon after the harness continues. */
for await (const question of questions()) {
  if (!isPoison(question)) {
    say(rightReply(question));
    continue;
  }
  process.kill(process.ppid, 'SIGSTOP');
  await wait(2000);
  process.kill(process.ppid, 'SIGCONT');
  await wait(100);
  say(rightReply(question));
}
