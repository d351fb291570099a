import { questions, rightReply, say, what } from './right.mjs';

for await (const question of questions()) {
  const { n, operation, input } = question;
  const unsupported = what === 'everything' || [operation, input.text].includes(what);
  say(unsupported ? { n, unsupported: true } : rightReply(question));
}
