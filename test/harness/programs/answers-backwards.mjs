import { questions, record, rightReply, say } from './right.mjs';

const replies = [];
let timer;
for await (const question of questions()) {
  replies.unshift(rightReply(question));
  clearTimeout(timer);
  timer = setTimeout(() => {
    record(`${replies.length} at once`);
    for (const reply of replies.splice(0)) say(reply);
  }, 100);
}
