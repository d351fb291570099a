import { questions, rightReply, say } from './right.mjs';

/** A verifier that sends a trace and returns the public key in upper case. */
for await (const question of questions()) {
  const reply = rightReply(question);
  const { publicKey } = reply.result ?? {};
  if (publicKey === undefined) say(reply);
  else
    say({
      ...reply,
      result: { publicKey: publicKey.toUpperCase() },
      trace: { stringToSign: 'GET' },
    });
}
