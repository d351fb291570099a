import { isPoison, questions, rightReply, say, written } from './right.mjs';

for await (const question of questions()) {
  if (isPoison(question)) {
    const { n } = question;
    process.stdout.write(written({ n, result: { encoded: 'Gr\u00fc\u00dfe' } }), 'latin1');
  } else {
    say(rightReply(question));
  }
}
