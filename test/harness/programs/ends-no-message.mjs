import { hang, isPoison, questions, rightReply, say, what } from './right.mjs';

async function writeWithoutEnd() {
  process.stdout.write(`${'x'.repeat(1023)}\tx\n`.repeat(9 * 1024));
  await hang();
}

if (what === 'not even hello') await writeWithoutEnd();
for await (const question of questions()) {
  if (isPoison(question)) await writeWithoutEnd();
  say(rightReply(question));
}
