import { questions, rightReply, say } from './right.mjs';

const refused = { reason: 'header-value', message: 'more than three headers' };

for await (const question of questions()) {
  const isLong = (question.input.headers ?? []).length > 3;
  say(isLong ? { n: question.n, refused } : rightReply(question));
}
