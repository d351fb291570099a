import { isInTabs, isPoison, questions, rightReply, say } from './right.mjs';

const DEPTH = 100_000;

for await (const question of questions()) {
  if (isPoison(question)) {
    const { n } = question;
    const nested = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
    process.stdout.write(
      isInTabs
        ? `n\t${n}\nresult.encoded${'.0'.repeat(DEPTH)}\tx\n\n`
        : `{"n":${n},"result":{"encoded":${nested}}}\n`,
    );
  } else {
    say(rightReply(question));
  }
}
