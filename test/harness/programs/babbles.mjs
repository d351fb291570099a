import { isPoison, questions, rightReply, say, what } from './right.mjs';

const MINDED = {
  '': isPoison,
  'over all but the first': ({ input }) => input.text !== 'a',
  always: () => true,
};

for await (const question of questions()) {
  if (MINDED[what](question)) console.log('debug: signing', question.input.text);
  say(rightReply(question));
}
