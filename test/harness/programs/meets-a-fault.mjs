import { hang, isPoison, questions, rightReply, say, what } from './right.mjs';

for await (const question of questions()) {
  if (isPoison(question) && what === 'signal') {
    process.kill(process.ppid, 'SIGUSR2');
    await hang();
  }
  const { n } = question;
  say(isPoison(question) ? { n, result: { encoded: 'poison!' } } : rightReply(question));
}
