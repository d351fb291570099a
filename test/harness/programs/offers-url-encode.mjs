import { HELLO, questions, rightReply, say } from './right.mjs';

for await (const question of questions({ ...HELLO, operations: ['url-encode'] })) {
  say(rightReply(question));
}
