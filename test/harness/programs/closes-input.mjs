import { closeSync } from 'node:fs';
import { hang, isPoison, questions, rightReply, say } from './right.mjs';

for await (const question of questions()) {
  if (isPoison(question)) {
    closeSync(0);
    await hang();
  }
  say(rightReply(question));
}
