import { questions, rightReply, say } from './right.mjs';

for await (const question of questions()) {
  const isLong = (question.input.headers ?? []).length > 3;
  say(isLong ? { n: question.n, error: 'TypeError: headers[3]' } : rightReply(question));
}
