import { questions, rightReply, say, what } from './right.mjs';

const KNOWN = ['a', 'plain'];

for await (const question of questions()) {
  const { n, operation, input } = question;
  const spared =
    (what === 'expired' && rightReply(question).refused?.reason !== 'expired') ||
    (what === 'all-but-the-first' && KNOWN.includes(input.text ?? input.key)) ||
    (what === 'verifications' && !operation.startsWith('verify'));
  say(spared ? rightReply(question) : { n, refused: { reason: 'signature-mismatch' } });
}
