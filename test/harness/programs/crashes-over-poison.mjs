import { isPoison, questions, rightReply, say } from './right.mjs';

for await (const question of questions()) {
  if (isPoison(question)) {
    process.stderr.write('Traceback\nPoisonError: it was in the text\n');
    process.exit(70);
  }
  say(rightReply(question));
}
