import { isPoison, questions, rightReply, say, what } from './right.mjs';

const text = 'So much to say. '.repeat(64 * 1024);
const REPLIES = {
  error: { error: text },
  refusal: { refused: { reason: 'other', message: text } },
  'unknown member': { [text]: 1 },
  answer: { result: { encoded: text } },
};

for await (const question of questions()) {
  say(isPoison(question) ? { n: question.n, ...REPLIES[what] } : rightReply(question));
}
