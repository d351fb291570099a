import { isPoison, questions, rightReply, say } from './right.mjs';

for await (const question of questions()) {
  if (isPoison(question)) {
    const { n } = question;
    process.stdout.write(
      `${JSON.stringify({ n, result: { encoded: 'Gr\u00fc\u00dfe' } })}\n`,
      'latin1',
    );
  } else {
    say(rightReply(question));
  }
}
