import { hang, isPoison, questions, rightReply, say } from './right.mjs';

for await (const question of questions()) {
  if (isPoison(question)) {
    process.stdout.write('x'.repeat(9 * 1024 * 1024));
    await hang();
  }
  say(rightReply(question));
}
