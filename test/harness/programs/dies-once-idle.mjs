import { life, questions, rightReply, say } from './right.mjs';

for await (const question of questions()) {
  say(rightReply(question));
  if (life === 1) process.exit(0);
}
