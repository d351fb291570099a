import { HELLO, questions, rightReply, say, what } from './right.mjs';

for await (const question of questions({ ...HELLO, ...JSON.parse(what) }))
  say(rightReply(question));
