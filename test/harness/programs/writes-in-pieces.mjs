import { writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { HELLO, questions, rightReply, written } from './right.mjs';

/** Tries again while the pipe is full, because a busy reader may be slow. */
async function writeByte(byte) {
  try {
    writeSync(1, Uint8Array.of(byte));
  } catch (error) {
    if (error.code !== 'EAGAIN') throw error;
    await setTimeout(2);
    await writeByte(byte);
  }
}

async function writePieces(message) {
  for (const byte of Buffer.from(written(message))) {
    await writeByte(byte);
    // Give the reader time to read between the bytes of a character.
    if (byte >= 0x80) await setTimeout(2);
  }
}

const implementation = { ...HELLO.implementation, name: 'Stücke 🔑' };
for await (const question of questions({ ...HELLO, implementation })) {
  const { n, result } = rightReply(question);
  await writePieces({ n, result, trace: { stringToSign: 'ü🔑' } });
}
