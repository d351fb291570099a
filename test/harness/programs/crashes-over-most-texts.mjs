import { questions, rightReply, say } from './right.mjs';

for await (const question of questions()) {
  const { operation, input } = question;
  if (operation === 'url-encode' && input.text !== 'a') process.exit(1);
  say(rightReply(question));
}
