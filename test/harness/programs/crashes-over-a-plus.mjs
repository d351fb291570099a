import { questions, rightReply, say } from './right.mjs';

for await (const question of questions()) {
  if (question.input.text?.includes('+')) {
    process.stderr.write('Traceback\nSignError: it was in the text\n');
    process.exit(70);
  }
  say(rightReply(question));
}
