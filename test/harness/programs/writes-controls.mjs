import { HELLO, hang, questions, rightReply, say, what } from './right.mjs';

const COMMANDS = ' ::error::planted'.repeat(20);
const CONTROLS =
  '\u0000\u0007\u001b[2J\u007f\u0085\u009b31m\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069';

/** Sequences that a terminal or a CI service would interpret, and an unpaired surrogate. */
const TEXT = `a\n::error::planted\r\n  ::warning::planted\n##[error]planted ##vso[task.complete]\t${CONTROLS}\ud800${COMMANDS}`;

const { implementation } = HELLO;
const HELLOS = {
  name: { ...HELLO, implementation: { ...implementation, name: TEXT.slice(0, 100) } },
  version: { ...HELLO, implementation: { ...implementation, version: TEXT.slice(0, 100) } },
  language: { ...HELLO, implementation: { ...implementation, language: TEXT.slice(0, 100) } },
  operation: { ...HELLO, operations: [...HELLO.operations, TEXT] },
  traces: { ...HELLO, traces: [TEXT] },
};
const REPLIES = {
  error: { error: TEXT },
  always: { error: TEXT },
  reason: { refused: { reason: TEXT } },
  refusal: { refused: { reason: 'text', message: TEXT } },
  member: { [TEXT]: 1 },
};

if (what === 'early end') {
  process.stderr.write(TEXT);
  process.exit(1);
}
if (what === 'banner') process.stdout.write(`${TEXT}\n`.repeat(60));
if (what === 'silence') {
  process.stdout.write(`${TEXT}\n`);
  await hang();
}
/** The number of operations in the small suite. */
const FIRST = 3;

for await (const question of questions(HELLOS[what])) {
  const { n } = question;
  const right = rightReply(question);
  // The harness asks the first questions to find out whether the adapter works at all.
  if (n <= FIRST && what !== 'always') say(right);
  else if (what === 'end') {
    process.stderr.write(TEXT);
    process.exit(1);
  } else if (what === 'line') process.stdout.write(`${TEXT}\n`);
  else if (what === 'result' && right.result) {
    const named = Object.keys(right.result).map((stage) => [stage, TEXT]);
    say({ n, result: Object.fromEntries(named), trace: { stringToSign: TEXT } });
  } else say(REPLIES[what] ? { n, ...REPLIES[what] } : right);
}
