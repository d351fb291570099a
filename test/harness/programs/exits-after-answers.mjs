import { questions, rightReply, say, what } from './right.mjs';

let answers = 0;
for await (const question of questions()) {
  if (++answers > Number(what)) process.exit(0);
  say(rightReply(question));
}
