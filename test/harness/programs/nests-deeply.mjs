import { isPoison, questions, rightReply, say } from './right.mjs';

const DEPTH = 100_000;

for await (const question of questions()) {
  if (isPoison(question)) {
    const nested = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
    process.stdout.write(`{"n":${question.n},"result":{"encoded":${nested}}}\n`);
  } else {
    say(rightReply(question));
  }
}
