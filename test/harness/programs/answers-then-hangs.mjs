import { hang, questions, rightReply, say, what } from './right.mjs';

let left = Number(what);

for await (const question of questions()) {
  if (left-- <= 0) await hang();
  say(rightReply(question));
}
