import { questions, rightReply, say } from './right.mjs';

const text = 'Svc pub:'.padEnd(1024 * 1024, 'signature ');

for await (const question of questions()) {
  const reply = rightReply(question);
  say(reply.refused ? { n: question.n, result: { authorization: text } } : reply);
}
