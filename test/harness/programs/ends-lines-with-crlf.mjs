import { questions, rightReply } from './right.mjs';

for await (const question of questions()) {
  process.stdout.write(`${JSON.stringify(rightReply(question))}\r\n`);
}
