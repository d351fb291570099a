import { isPoison, questions, rightReply, say } from './right.mjs';

for await (const question of questions()) {
  // More than twice what is read of a line, so that what follows could be taken for another one.
  if (isPoison(question)) process.stdout.write(`${'x'.repeat(20 * 1024 * 1024)}\n`);
  say(rightReply(question));
}
