import { isPoison, questions, rightReply, say } from './right.mjs';

for await (const question of questions()) {
  say(rightReply(question));
  if (isPoison(question)) say(rightReply(question));
}
