import { questions, rightReply, say } from './right.mjs';

for await (const question of questions()) {
  say({ ...rightReply(question), n: question.n + 1000 });
}
