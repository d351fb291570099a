import { HELLO, questions, rightReply, say, what } from './right.mjs';

const operations = HELLO.operations.filter((name) => name.startsWith('verify-'));

for await (const question of questions({ ...HELLO, operations })) {
  const { n } = question;
  say(what === 'a-no' ? { n, refused: { reason: 'signature-mismatch' } } : rightReply(question));
}
