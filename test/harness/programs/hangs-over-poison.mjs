import { hang, isPoison, questions, rightReply, say } from './right.mjs';

for await (const question of questions()) {
  if (isPoison(question)) await hang();
  say(rightReply(question));
}
