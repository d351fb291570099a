import { hang, questions, rightReply, say } from './right.mjs';

for await (const question of questions()) {
  if (question.input.text?.includes('+')) await hang();
  say(rightReply(question));
}
