import { isPoison, questions, rightReply, say } from './right.mjs';

for await (const question of questions()) {
  if (!isPoison(question)) say(rightReply(question));
}
