import { questions, rightReply, say } from './right.mjs';

for await (const question of questions()) {
  const { n, input } = question;
  if (input.text === 'a') say(rightReply(question));
  else process.stdout.write(`${input.text.replaceAll('$N', n)}\n`);
}
