import { HELLO, isPoison, questions, rightReply, say, what } from './right.mjs';

// Printed without escapes, this text would erase the report so far and write another end.
const text = '\u001b[2J\u009b1;1H\r\nall as expected\n';
const REPLIES = {
  error: { error: text },
  refusal: { refused: { reason: text, message: text } },
  'unknown member': { [text]: 1 },
  answer: { result: { encoded: text } },
};

const version = what === 'hello' ? text : '1';
const hello = { ...HELLO, implementation: { ...HELLO.implementation, version } };
for await (const question of questions(hello)) {
  const reply = isPoison(question) ? REPLIES[what] : undefined;
  say(reply ? { n: question.n, ...reply } : rightReply(question));
}
