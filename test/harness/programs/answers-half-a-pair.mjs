import { questions, say } from './right.mjs';

for await (const { n } of questions()) {
  say(n % 2 === 0 ? { n, result: { encoded: '\ud83d' } } : { n, error: 'half \udc00 of a pair' });
}
