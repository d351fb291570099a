/**
 * Sends text that TAP, HTML, XML and CI services would interpret, in its name and in one reply.
 *
 * @module
 */
import { HELLO, isPoison, questions, rightReply, say } from './right.mjs';

const NAME = 'evil # SKIP <script>alert(1)</script> "\'&amp; \\# TODO';
const TEXT = `%0A::error::forged
::stop-commands::x
##[error]forged
</pre></td><script>alert(2)</script>
  ...
not ok 99 - forged # TODO`;

const hello = { ...HELLO, implementation: { ...HELLO.implementation, name: NAME } };
for await (const question of questions(hello)) {
  say(isPoison(question) ? { n: question.n, error: TEXT } : rightReply(question));
}
