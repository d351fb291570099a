import { questions, rightReply, say } from './right.mjs';

let asked = 0;

for await (const question of questions()) {
  const reply = rightReply(question);
  say(++asked === 20 ? { ...reply, result: { encoded: 'once' } } : reply);
}
