import { isPoison, questions, rightReply, say } from './right.mjs';

for await (const question of questions()) {
  // More than twice the limit of a line, so that the rest could be mistaken for another line.
  if (isPoison(question)) process.stdout.write(`${'x'.repeat(20 * 1024 * 1024)}\n`);
  say(rightReply(question));
}
